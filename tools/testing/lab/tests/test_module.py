# SPDX-License-Identifier: GPL-2.0
"""The drop-in module: what is compared, and what stops it beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.kernel import drop_in, module, tree
from tools.kernel.errors import LabError

THEIRS = """\
0x11111111\tsvc_create\tnet/sunrpc/sunrpc\tEXPORT_SYMBOL_GPL\t
0x22222222\trpc_run_task\tnet/sunrpc/sunrpc\tEXPORT_SYMBOL_GPL\t
0x33333333\tgss_mech_get\tnet/sunrpc/auth_gss/auth_rpcgss\tEXPORT_SYMBOL\t
0x44444444\tprintk\tvmlinux\tEXPORT_SYMBOL\t
"""

CREATE = "0x11111111\tsvc_create\t/a/sunrpc\tEXPORT_SYMBOL_GPL\t\n"
RUN = "0x22222222\trpc_run_task\t/a/sunrpc\tEXPORT_SYMBOL_GPL\t\n"
NEW = "0x55555555\trpc_new\t/a/sunrpc\tEXPORT_SYMBOL_GPL\t\n"

CASES = {
    "equal": (CREATE + RUN + NEW, "2 exported symbols, 0 differ"),
    "one differs": (
        CREATE + RUN.replace("0x2", "0x9"),
        "2 exported symbols, 1 differ: rpc_run_task",
    ),
    "one is missing": (CREATE, "2 exported symbols, 0 differ; 1 missing: rpc_run_task"),
}


@pytest.mark.parametrize("name", CASES)
def test_compare(name: str) -> None:
    ours, text = CASES[name]
    verdict = drop_in.compare(drop_in.symbols(THEIRS, drop_in.NAME), drop_in.symbols(ours, None))
    assert str(verdict) == text


def test_defines() -> None:
    kconfig = (tree.REPO / "Kconfig").read_text()
    assert drop_in.defines(kconfig) == {"CONFIG_SUNRPC_TCPBUF": "1"}


def test_versions() -> None:
    kver, source = "6.1.0-9-amd64", "linux-source-6.1 6.1.2-1"
    module.check_versions(kver, "6.1.2-1", source)
    with pytest.raises(LabError, match=r"of version 6\.1\.3-1 .* 6\.1\.2-1"):
        module.check_versions(kver, "6.1.3-1", source)


HEADERS = {
    "no headers": (None, "install linux-headers-6.1.0-9-amd64"),
    "no sunrpc": ("0x1\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n", "has no net/sunrpc"),
    "no checksums": (
        "0x00000000\tsvc_create\tnet/sunrpc/sunrpc\tEXPORT_SYMBOL\t\n",
        "without CONFIG_MODVERSIONS",
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_prove_nothing(name: str, tmp_path: Path) -> None:
    symvers, reason = HEADERS[name]
    kver = "6.1.0-9-amd64"
    if symvers is not None:
        folder = tmp_path / kver / "build"
        folder.mkdir(parents=True)
        (folder / "Module.symvers").write_text(symvers)
    with pytest.raises(LabError, match=reason):
        module.build(kver, None, tmp_path, tree.quiet, modules=tmp_path)
    assert not list(tmp_path.glob("module-*"))
