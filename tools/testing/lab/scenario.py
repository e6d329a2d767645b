# SPDX-License-Identifier: GPL-2.0
"""Scenarios: what the lab lays out, runs and measures. Data, no action.

A scenario is a TOML file in scenarios/. Its tables have the names and the
units of the classes below; what is left out has the default given there.
[setups.NAME] tables are laid over the rest, key by key, so that one file
holds, for example, the untuned and the tuned form of one experiment.

"tcptuned" at the top, or in a setup, is a list of hosts that run the daemon of
this repository, each with folders of its own.

A client with a count stands for so many alike, NAME-1, NAME-2 and so on. A job
or an event on NAME is one on each of them, and "{host}" in the name of a job's
file is the name of its host.
"""

import dataclasses
import re
import tomllib
import types
import typing
from pathlib import Path
from typing import Any

from tools.kernel.errors import LabError

FOLDER = Path(__file__).parent / "scenarios"
TCPTUNED = (
    "$LAB_REPO/build/tcptuned/tcptuned"
    " --state-dir /run/state-{host} --runtime-dir /run/tcptuned-{host}"
)

Sysctl = dict[str, int | str]


@dataclasses.dataclass(frozen=True)
class Server:
    """The NFS server, in the guest's first network namespace.

    threads: nfsd threads. disk_ms: what a read of the export's folder "disk"
    takes that is not in the page cache; 0: there is none. sysctl: values by name ("net.core.rmem_max"),
    written before nfsd starts. daemon: a command that runs there from when
    everything is mounted to the end of the last phase, and is then ended with
    SIGTERM; by sh, the repository being at $LAB_REPO.
    """

    threads: int = 8
    disk_ms: float = 0
    sysctl: Sysctl = dataclasses.field(default_factory=dict)
    daemon: str = ""


@dataclasses.dataclass(frozen=True)
class Client:
    """One NFS client in a network namespace, with a path of its own.

    rate_mbit: of the bottleneck, both ways. delay_ms: one way, so that the
    RTT is twice that. loss_percent: of packets, at random, each way.
    queue_packets: that the path holds, those under way included, before it
    drops, a GSO packet of up to 64 KiB being one; 0: it never does. gso:
    without it every packet is lost or queued by itself, and a run takes
    longer. count: clients that are alike.
    nfs: version, "3", "4.1" or "4.2". options: further mount options.
    read_ahead_kb: of the mount; 0 leaves the kernel's default.
    family: 4 or 6, of the IP addresses. router: the path lies behind one, so
    that both ends see links that are faster than it. sysctl: as of the server,
    written in the client's namespace before it mounts. daemon: as of the
    server, in the client's namespace.
    """

    rate_mbit: float
    delay_ms: float
    count: int = 1
    loss_percent: float = 0
    queue_packets: int = 0
    mtu: int = 1500
    gso: bool = True
    nfs: str = "4.2"
    options: str = ""
    read_ahead_kb: int = 0
    family: int = 4
    router: bool = False
    sysctl: Sysctl = dataclasses.field(default_factory=dict)
    daemon: str = ""


@dataclasses.dataclass(frozen=True)
class Job:
    """One thing that one host does during a phase.

    do: "write" (size_mib into file, flushed), "read" (file from its start to
    size_mib, the client's cache of it dropped before), "stat" (of file,
    uncached, every interval_ms until the other jobs end) or "run" (command,
    by sh, on host "server" or a client's, the
    repository being at $LAB_REPO). passes: times that a write or read
    is done, on one connection. direct: past the client's cache, a record at
    once, in as many requests as it takes. seconds: instead of passes, go round and round
    in the file, opened once, for so long. start_s: after the start of the
    phase.
    """

    do: str
    host: str
    file: str = "data"
    size_mib: int = 0
    record_kib: int = 1024
    passes: int = 1
    direct: bool = False
    seconds: float = 0
    start_s: float = 0
    interval_ms: float = 20
    command: str = ""


@dataclasses.dataclass(frozen=True)
class Event:
    """A sysctl that is written on a host while a phase runs."""

    at_s: float
    host: str
    sysctl: Sysctl


@dataclasses.dataclass(frozen=True)
class Phase:
    """Jobs that run side by side; the phase ends with the last of them."""

    name: str
    jobs: list[Job]
    events: list[Event] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A whole run: one boot of one kernel.

    memory_mb: of the guest. sample_ms: how often progress and sockets are
    looked at. daemons_first: the hosts' daemons start before the server and
    the mounts, as at boot. timeout_s: wall-clock bound of the run.
    """

    name: str
    title: str
    clients: dict[str, Client]
    phases: list[Phase]
    server: Server = dataclasses.field(default_factory=Server)
    memory_mb: int = 3000
    sample_ms: float = 250
    daemons_first: bool = False
    timeout_s: int = 600


def _build(kind: Any, value: Any, where: str) -> Any:
    """Value as a member of type kind, dataclasses built from tables."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _build_class(kind, value, where)
    if origin in (list, dict) and not isinstance(value, origin):
        want = "list" if origin is list else "table"
        raise LabError(f"{where}: a {want} was expected, not {value!r}")
    if origin is list:
        return [_build(args[0], v, f"{where}[{i}]") for i, v in enumerate(value)]
    if origin is dict:
        return {k: _build(args[1], v, f"{where}.{k}") for k, v in value.items()}
    allowed = args if origin is types.UnionType else (kind,)
    if float in allowed:
        allowed = (*allowed, int)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        names = " or ".join(member.__name__ for member in allowed)
        raise LabError(f"{where}: {value!r} is not {names}")
    return value


def _build_class(cls: Any, table: Any, where: str) -> Any:
    if not isinstance(table, dict):
        raise LabError(f"{where}: a table was expected, not {table!r}")
    hints = typing.get_type_hints(cls)
    unknown = sorted(table.keys() - hints.keys())
    if unknown:
        raise LabError(f"{where}: unknown key {', '.join(unknown)}")
    members = {key: _build(hints[key], value, f"{where}.{key}") for key, value in table.items()}
    try:
        return cls(**members)
    except TypeError as error:
        raise LabError(f"{where}: {error}") from None


def overlay(base: Any, over: Any) -> Any:
    """One table laid over another, key by key; a list is replaced."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    merged = dict(base)
    for key, value in over.items():
        merged[key] = overlay(base[key], value) if key in base else value
    return merged


def from_dict(table: dict[str, Any], where: str = "scenario") -> Scenario:
    """Scenario from nested dicts; LabError names the key that is wrong."""
    scenario: Scenario = _each(_build_class(Scenario, table, where), where)
    hosts = {"server", *scenario.clients}
    for phase in scenario.phases:
        users = {job.host for job in phase.jobs}
        users |= {event.host for event in phase.events}
        if users - hosts:
            raise LabError(f"{where}: no host {min(users - hosts)!r}")
        for job in phase.jobs:
            if job.do not in ("write", "read", "stat", "run"):
                raise LabError(f"{where}: no job {job.do!r}")
            if job.host == "server" and job.do != "run":
                raise LabError(f"{where}: the server cannot {job.do}")
        if all(job.do == "stat" for job in phase.jobs):
            raise LabError(f"{where}: phase {phase.name!r} never ends")
    return scenario


def _each(scenario: Scenario, where: str) -> Scenario:
    """The scenario with every client of a count by itself."""
    members = {"server": ["server"]}
    clients: dict[str, Client] = {}
    for name, client in scenario.clients.items():
        if client.count < 1:
            raise LabError(f"{where}.clients.{name}: count is {client.count}")
        numbers = range(1, client.count + 1)
        alike = [name] if client.count == 1 else [f"{name}-{n}" for n in numbers]
        if clients.keys() & alike:
            twice = min(clients.keys() & alike)
            raise LabError(f"{where}: two clients {twice!r}")
        members[name] = alike
        one = dataclasses.replace(client, count=1)
        clients.update(dict.fromkeys(alike, one))
    phases = [
        dataclasses.replace(
            phase,
            jobs=[
                dataclasses.replace(job, host=host, file=job.file.replace("{host}", host))
                for job in phase.jobs
                for host in members.get(job.host, [job.host])
            ],
            events=[
                dataclasses.replace(event, host=host)
                for event in phase.events
                for host in members.get(event.host, [event.host])
            ],
        )
        for phase in scenario.phases
    ]
    return dataclasses.replace(scenario, clients=clients, phases=phases)


def alike(scenario: Scenario, name: str) -> list[str]:
    """The clients that a name in a file stands for."""
    pattern = re.compile(rf"{re.escape(name)}(-\d+)?")
    return [name for name in scenario.clients if pattern.fullmatch(name)]


def to_dict(scenario: Scenario) -> dict[str, Any]:
    """The inverse of from_dict()."""
    return dataclasses.asdict(scenario)


def find(name: str) -> Path:
    """File of a scenario that is given by name or by path."""
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.toml")))
        raise LabError(f"no scenario {name!r}; there are: {known}")
    return path


def setups(name: str) -> list[str]:
    """Names of the setups that a scenario file holds, in its order."""
    return list(_read(find(name)).get("setups", {}))


def load(name: str, setup: str | None = None) -> Scenario:
    """Read a scenario, by name or path, with one of its setups laid over it."""
    path = find(name)
    table = _read(path)
    overlays = table.pop("setups", {})
    if setup is not None:
        if setup not in overlays:
            raise LabError(f"{path}: no setup {setup!r}")
        table = overlay(table, overlays[setup])
    table.setdefault("name", path.stem)
    table = _with_daemons(table, f"{path}: tcptuned")
    return from_dict(table, str(path))


def _with_daemons(table: dict[str, Any], where: str) -> dict[str, Any]:
    """The table with the daemon of each host that "tcptuned" names."""
    for host in _build(list[str], table.pop("tcptuned", []), where):
        clients = table.get("clients", {})
        if host != "server" and host not in clients:
            raise LabError(f"{where}: no host {host!r}")
        daemon = {"daemon": TCPTUNED.format(host=host)}
        named = {"clients": {host: daemon}} if host in clients else {host: daemon}
        table = overlay(table, named)
    return table


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{path}: {error}") from None
