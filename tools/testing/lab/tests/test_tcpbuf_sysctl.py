# SPDX-License-Identifier: GPL-2.0
"""The files of /proc/sys/sunrpc: the kselftest, on several kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.kernel import tree
from tools.testing.lab import image
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images

SELFTEST = '"$LAB_REPO"/tools/testing/selftests/sunrpc/tcpbuf_sysctl.sh'
CASES = 41
NO_DEBUG = "# CONFIG_SUNRPC_DEBUG is not set"
DEBUG_FILES = {"nfs_debug", "nfsd_debug", "nlm_debug", "rpc_debug", "transports"}

RUN = f"{SELFTEST}; echo exit $?"
LIST = "ls /proc/sys/sunrpc"
SHOW = "cd /proc/sys/sunrpc && cat tcp_rcvbuf tcp_sndbuf"
SET = "cd /proc/sys/sunrpc && echo 111 >tcp_rcvbuf && echo 222 >tcp_sndbuf"
INTERRUPT = f"{SELFTEST} & sleep 3; kill -TERM $!; wait $!"


def _outputs(image: Path, *commands: str) -> list[str]:
    run = measured.run(image, measured.commands(*commands))
    return [run[str(number)].output() for number in range(len(commands))]


def _without_debug(images: Images) -> Path:
    return image.build(
        images.trees.patched,
        images.trees.patched_key,
        tree.quiet,
        variant="nodebug",
        options=[NO_DEBUG],
    )


@pytest.mark.parametrize(
    "debug", [True, pytest.param(False, marks=measured.long)], ids=["debug", "nodebug"]
)
def test_selftest(images: Images, debug: bool) -> None:
    kernel = images.patched if debug else _without_debug(images)
    _, output, after = _outputs(kernel, SET, RUN, SHOW)
    assert output.startswith(f"TAP version 13\n1..{CASES}\n")
    assert "SKIP" not in output, output
    passed = re.findall(r"^ok \d+ \w+", output, re.MULTILINE)
    assert len(passed) == CASES, output
    assert output.endswith("exit 0\n")
    assert after == "111\n222\n", "the machine's values were not put back"


def test_selftest_interrupted(images: Images) -> None:
    _, output, after = _outputs(images.patched, SET, f"{INTERRUPT}; echo exit $?", SHOW)
    assert output.endswith("exit 143\n"), output
    assert "names_the_hosts_limit" not in output, "it was not interrupted"
    assert after == "111\n222\n", "the machine's values were not put back"


def test_selftest_skips_without_the_series(images: Images) -> None:
    (output,) = _outputs(images.stock, RUN)
    assert re.search(r"^1\.\.0 # SKIP \S+", output, re.MULTILINE), output
    assert output.endswith("exit 4\n")


OURS = {
    *("tcp_rcvbuf", "tcp_sndbuf", "tcp_clnt_rcvbuf", "tcp_clnt_sndbuf", "tcp_notsent_lowat"),
    *("tcp_lossy_congestion_control", "tcp_clnt_lossy_congestion_control"),
}


def _files(kernel: Path) -> set[str]:
    return set(_outputs(kernel, LIST)[0].split())


def test_files_of_the_stock_kernel_stay(images: Images) -> None:
    stock = _files(images.stock)
    assert stock >= DEBUG_FILES
    assert _files(images.patched) == stock | OURS


@measured.long
def test_files_without_debug(images: Images) -> None:
    assert _files(_without_debug(images)) == (_files(images.stock) - DEBUG_FILES) | OURS
