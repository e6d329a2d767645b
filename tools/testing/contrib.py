# SPDX-License-Identifier: GPL-2.0
"""What the daemon brings for other programs, linted with their own tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.testing.programs import REPO, Command

DAEMON = REPO / "tools" / "tcptuned"
CONTRIB = DAEMON / "contrib"


def linters(python: Path) -> Iterator[tuple[str, Command, Path]]:
    """Name, command line and folder of each; @python is build/venv's."""
    for page in sorted(DAEMON.glob("*.[58]")):
        command = ["mandoc", "-T", "lint", "-W", "warning", page.name]
        yield f"mandoc-{page.name}", command, DAEMON
    yield "rpmlint", ["rpmlint", "tcptuned.spec"], DAEMON
    folder = CONTRIB / "prometheus"
    for what, name in (("check", "rules"), ("test", "rules.test")):
        command = ["promtool", what, "rules", f"tcptuned.{name}.yml"]
        yield f"promtool-{what}", command, folder
    folder = CONTRIB / "ansible"
    lint = ["ansible-lint", "--offline", "--strict", "--nocolor", "-p"]
    yield "ansible-lint", [*lint, "site.yml", "roles"], folder
    folder = CONTRIB / "kubernetes"
    yield "hadolint", [python.parent / "hadolint", "Containerfile"], folder
    validate = python.parent / "kubernetes-validate"
    command = [str(validate), "--strict", "tcptuned.yml"]
    yield "kubernetes-validate", command, folder
