# SPDX-License-Identifier: GPL-2.0
"""Dashboard and alerts go by what the daemon writes, in words that exist."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard
from namespaces import TCPTUNED, run
from world import Daemon, World, at_work

pytest_plugins = ("world_hosts",)

DASHBOARD = TCPTUNED / "contrib/grafana/tcptuned.json"
RULES = TCPTUNED / "contrib/prometheus/tcptuned.rules.yml"


def _dashboard() -> Any:
    return json.loads(DASHBOARD.read_text())


def _expressions(panels: list[dict[str, Any]]) -> Iterator[str]:
    """Every query of the dashboard's panels."""
    for panel in panels:
        yield from (target["expr"] for target in panel.get("targets", ()))


def _metrics(world: World, daemons: list[Daemon]) -> str:
    """The metrics of a running daemon."""
    file = world.rundir / "metrics.prom"
    at_work(world, daemons).wait_for(file.exists)
    return file.read_text()


def test_names(world: World, daemons: list[Daemon]) -> None:
    """Every metric, label and value in them is one of the daemon's."""
    used = DASHBOARD.read_text() + RULES.read_text()
    text = _metrics(world, daemons)
    written = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    named = set(re.findall(r"\b(tcptuned_\w+)", used))
    assert named
    assert named - written == set()
    metrics = (TCPTUNED / "report/metrics.c").read_text()
    labels = {"daemon", "instance", *re.findall(r'"(\w+)",\s', metrics)}
    values = re.findall(r'= "([\w -]+)"', (TCPTUNED / "report/names.c").read_text())
    for label, value in re.findall(r'(\w+)=~?\\?"([^"\\]*)', used):
        assert label in labels, label
        if label in ("limit", "reason"):
            assert set(value.split("|")) <= set(values), value


def test_every_metric_is_of_use(world: World, daemons: list[Daemon]) -> None:
    """Each is shown or watched, but for those that say little alone."""
    used = DASHBOARD.read_text() + RULES.read_text()
    text = _metrics(world, daemons)
    written = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    unused = {name for name in written if not re.search(rf"\b{name}\b", used)}
    assert unused == {
        "tcptuned_kernel_has_sunrpc_tcpbuf",
        "tcptuned_path_connections",
        "tcptuned_polls_total",
        "tcptuned_slow_start_after_idle",
    }


def test_queries(tmp_path: Path) -> None:
    """Prometheus understands every query of the dashboard."""
    rules = [
        {"record": f"panel:{number}", "expr": expression}
        for number, expression in enumerate(_expressions(_dashboard()["panels"]))
    ]
    assert len(rules) > 10
    file = tmp_path / "rules.yml"
    # JSON is YAML.
    file.write_text(json.dumps({"groups": [{"name": "x", "rules": rules}]}))
    run("promtool", "check", "rules", file)


def _lost(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """What is in the one and not, or not the same, in the other."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from _lost(value, after.get(key), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield path
        for number, pair in enumerate(zip(before, after, strict=False)):
            yield from _lost(*pair, f"{path}/{number}")
    elif before != after:
        yield path


def test_dashboard_is_one_of_grafanas() -> None:
    """Grafana's own schema has every field of it: none gets lost in it."""
    plugins.register_default_plugins()
    dashboard = _dashboard()
    again = JSONEncoder(sort_keys=True).encode(Dashboard.from_json(dashboard))
    assert list(_lost(dashboard, json.loads(again))) == []


def test_lost_finds_what_grafana_does_not_know() -> None:
    """A field that is misspelt, deep inside."""
    plugins.register_default_plugins()
    dashboard = _dashboard()
    panel = dashboard["panels"][1]
    panel["targets"][0]["legendFromat"] = panel["targets"][0]["legendFormat"]
    again = JSONEncoder(sort_keys=True).encode(Dashboard.from_json(dashboard))
    lost = list(_lost(dashboard, json.loads(again)))
    assert lost == ["/panels/1/targets/0/legendFromat"]


def test_panels_have_their_place() -> None:
    """No two overlap, none has another's number, each has words and data."""
    panels = _dashboard()["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
        if panel["type"] != "row":
            assert panel["description"], panel["title"]
            assert panel["targets"], panel["title"]
    assert len({panel["id"] for panel in panels}) == len(panels)
