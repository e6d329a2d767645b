# SPDX-License-Identifier: GPL-2.0
"""The status for programs has what the manual page says, and nothing else."""

import json
import re
from typing import Any

from namespaces import TCPTUNED
from world import Daemon, World, at_work

pytest_plugins = ("world_hosts",)

NUMBERS = re.compile(r"_(us|bytes|bps|kb)$")


def _names(line: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"^\.(It )?Va ", "", line))


def _manual() -> tuple[dict[str, list[str]], list[list[str]]]:
    """Members by the one that they are in, and those that are not strings."""
    text = (TCPTUNED / "tcptuned.8").read_text()
    text = text.partition(".Cm status \\-\\-json\n")[2].partition(".Sh ")[0]
    text, _, types = text.partition(".El\n")
    members: dict[str, list[str]] = {"": []}
    for line in text.splitlines():
        if line.startswith(".It Va "):
            names = _names(line)
            members[""] += names
            members[names[-1]] = []
        elif line.startswith(".Va "):
            members[names[-1]] += _names(line)
    start = members["paths"].index("in") + 1
    members["out"] = members["in"] = members["paths"][start:]
    del members["paths"][start:]
    found = re.findall(r"^\.Va .*", types, re.MULTILINE)
    return members, [_names(line) for line in found]


def _code(function: str) -> list[str]:
    text = (TCPTUNED / "report" / "status.c").read_text()
    body = text.partition(f"static void {function}(")[2].partition("\n}\n")[0]
    return re.findall(r"_add_\w+\(json, \"(\w+)\"", body)


def test_schema(world: World, daemons: list[Daemon]) -> None:
    """Every member is there, of its type."""
    members, (numbers, flags) = _manual()

    def check(item: Any, kind: str, *optional: str) -> None:
        assert set(members[kind]) - set(optional) <= set(item)
        assert set(item) <= set(members[kind])
        for name, value in item.items():
            if name in flags:
                assert isinstance(value, bool), name
            elif name in {"value", "original"} and item["name"].endswith("congestion_control"):
                assert isinstance(value, str), name
            elif name in numbers or NUMBERS.search(name):
                assert isinstance(value, int | float), name
            else:
                assert isinstance(value, str | list | dict), name

    daemon = at_work(world, daemons)
    file = world.rundir / "status.json"
    daemon.wait_for(lambda: file.exists() and "tcp_rmem" in file.read_text())
    status = json.loads(world.call("status", "--json").stdout)
    check(status, "", "paths_left_out")
    check(status["host"], "host")
    assert status["paths"]
    for path in status["paths"]:
        check(path, "paths")
        check(path["out"], "out")
        check(path["in"], "in")
    assert any("original" in setting for setting in status["settings"])
    for setting in status["settings"]:
        check(setting, "settings", "original")
    assert set(status["bounds"]) == {"server", "client"}
    assert set(status["bounds"]["client"]) == {"out", "in"}
    # Nothing is mounted here.
    assert _code("status_add_mount") == members["mounts"]
