# SPDX-License-Identifier: GPL-2.0
"""Programs that `make check` runs: their logs, their packages."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[1]
from tools.kernel import command, overlay, tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Say

BUILD = tree.folder(REPO)
LOG = BUILD / "log"
VENV = BUILD / "venv"
REQUIREMENTS = HERE / "requirements.txt"

Word = str | Path
Command = Sequence[Word]


def run(name: str, args: Command, say: Say, *, cwd: Path = REPO) -> tuple[int, str]:
    """Run a program, its output to a log; its exit status and output."""
    environment = {
        **os.environ,
        "LC_ALL": "C.UTF-8",
        "PIP_USER": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    # Somebody's own Python must not lend its modules.
    for foreign in ("PYTHONHOME", "PYTHONPATH", "PYTEST_ADDOPTS"):
        environment.pop(foreign, None)
    lines = []
    with log_of(name).open("w") as log:

        def heard(line: str) -> None:
            lines.append(line)
            say(_progress(name, line))

        status = command.follow(args, log, heard, cwd=cwd, env=environment)
    return status, "".join(lines)


def _progress(name: str, line: str) -> str:
    """How far a program is that printed a line: pytest says it in percent."""
    test = re.search(r"\[ *(\d+%)\] (?:[A-Z]+) \S*?(\w+\.py::.*\S)", line)
    return f"{name}: {test[1]}, {test[2]}" if test else name


def log_of(name: str) -> Path:
    """The file that a program's output goes to."""
    LOG.mkdir(parents=True, exist_ok=True)
    return LOG / f"check-{name}.log"


def venv(say: Say) -> Path:
    """Python of build/venv, made unless it has what is wanted."""
    python, stamp = VENV / "bin" / "python", VENV / "requirements"
    # The path is in what venv writes: a moved repository needs a new one.
    wanted = hashlib.sha256(f"{VENV}\n{REQUIREMENTS.read_text()}".encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted and python.exists():
        return python
    say("making build/venv")
    shutil.rmtree(VENV, ignore_errors=True)
    make: Command = ["/usr/bin/python3", "-m", "venv", VENV]
    pip: Command = [
        *(python, "-m", "pip", "install", "--no-input", "--quiet"),
        *("--disable-pip-version-check", "--requirement", REQUIREMENTS),
    ]
    for step in (make, pip):
        status, output = run("venv", step, say)
        if status:
            reason = output.strip().rpartition("\n")[2]
            raise LabError(
                f"the tools of {REQUIREMENTS.name} cannot be installed "
                f"into build/venv: {reason} (all of it is in "
                f"{log_of('venv')})"
            )
    overlay.replace(stamp, wanted)
    return python
