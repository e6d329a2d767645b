# SPDX-License-Identifier: GPL-2.0
"""Packages from apt: the machine's own, or one kept below build/.

The second exists because a new kernel's source is in later suites than
the machine's. It reads the machine's configuration (a proxy stays in
force), then replaces every path by one of its own, so that neither the
machine's sources nor its lists or cache are ever touched.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import command
from tools.kernel.errors import LabError, Unavailable

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
KSRC_HINT = "or give a kernel tree of your own with KSRC="

# What apt says when data arrived but is not what was signed. These stop
# the run; everything else only means that this source cannot be had.
_FORGED = re.compile(
    r"Hash Sum mismatch|unexpected size|BADSIG|NO_PUBKEY|EXPKEYSIG"
    r"|GPG error|is not signed|signatures? (were|was|couldn't)"
    r"|Clearsigned file isn't valid"
)

_CONF = """\
// Made by tools/kernel for its own use; deleted with build/.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
Dir::State "{root}/state/";
Dir::State::lists "{root}/state/lists/";
Dir::State::status "{root}/state/status";
Dir::State::extended_states "{root}/state/extended_states";
Dir::Cache "{root}/cache/";
Dir::Cache::archives "{root}/cache/archives/";
Dir::Cache::pkgcache "{root}/cache/pkgcache.bin";
Dir::Cache::srcpkgcache "";
Dir::Etc::sourcelist "{root}/sources.list";
Dir::Etc::sourceparts "{root}/none";
Dir::Etc::preferences "{root}/none";
Dir::Etc::preferencesparts "{root}/none";
Dir::Log "{root}/log/";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
"""

# As root apt would drop to the user _apt, which cannot write below
# somebody's home; these folders need no such guard.
_OPTIONS = (
    "-oAPT::Sandbox::User=root",
    "-oAcquire::Retries=2",
    "-oAcquire::http::Timeout=30",
    "-oAcquire::https::Timeout=30",
)


@dataclass(frozen=True)
class Apt:
    """One configuration of apt; `options` select it."""

    label: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Package:
    """A version of a package that an index offers."""

    name: str
    version: str
    sha256: str
    size_bytes: int

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def machine() -> Apt:
    """The machine's own configuration."""
    return Apt("this machine's apt")


def private(root: Path, uri: str, suite: str) -> Apt:
    """A configuration below root for one suite of the mirror at uri.

    Raises LabError when the archive's keyring is not installed: nothing
    is fetched that cannot be checked.
    """
    if not KEYRING.is_file():
        raise LabError(
            f"{KEYRING}: not there, so {suite} cannot be checked: install "
            f"debian-archive-keyring, {KSRC_HINT}"
        )
    for folder in ("state/lists/partial", "cache/archives/partial", "none"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "state/status").touch()
    quoted = uri.replace(" ", "%20")
    # Only the package index: descriptions, DEP-11 and the like would
    # be three quarters of what is fetched.
    (root / "sources.list").write_text(
        f"deb [signed-by={KEYRING} target=Packages] {quoted} {suite} main\n"
    )
    (root / "apt.conf").write_text(_CONF.format(root=root))
    return Apt(f"suite {suite}", ("-c", str(root / "apt.conf")))


def mirror() -> str:
    """The URI from which the machine gets Debian.

    Raises Unavailable when its apt knows none.
    """
    if shutil.which("apt-get") is None:
        raise Unavailable("this machine has no apt")
    args = ["apt-get", "indextargets", "--format"]
    done = command.run([*args, "$(ORIGIN)|$(LABEL)|$(REPO_URI)"])
    for line in done.stdout.splitlines():
        origin, label, uri = line.split("|", 2)
        if origin == label == "Debian" and uri:
            return uri
    raise Unavailable("this machine's apt has no index of Debian")


def update(apt: Apt) -> None:
    """Fetch the indexes of a configuration.

    Raises LabError for a bad signature or checksum, and Unavailable when the
    mirror is not there or lacks the suite.
    """
    strict = ("-o", "APT::Update::Error-Mode=any")
    done = command.run(["apt-get", *_OPTIONS, *strict, *apt.options, "update"])
    if done.returncode != 0:
        raise _failure(f"the index of {apt.label}", done.stderr)


def candidate(apt: Apt, name: str) -> Package | None:
    """The version of a package that apt would take, or None."""
    if shutil.which("apt-cache") is None:
        return None
    args = ["apt-cache", *apt.options, "--no-all-versions", "show", name]
    done = command.run(args)
    fields = dict(re.findall(r"^(\w+): (.*)$", done.stdout, re.MULTILINE))
    # A record without a checksum is an installed package's, not an index's.
    if done.returncode != 0 or "SHA256" not in fields:
        return None
    size = int(fields["Size"])
    return Package(name, fields["Version"], fields["SHA256"], size)


def download(apt: Apt, package: Package, folder: Path) -> Path:
    """Fetch a package's file into an empty folder, checked.

    Raises as update() does; the checksum is compared once more here, so
    that what is kept never depends on an option of the machine's apt.
    """
    want = f"{package.name}={package.version}"
    done = command.run(["apt-get", *_OPTIONS, *apt.options, "download", want], cwd=folder)
    files = list(folder.glob("*.deb"))
    if done.returncode != 0 or len(files) != 1:
        raise _failure(f"{package} from {apt.label}", done.stderr)
    if sha256(files[0]) != package.sha256:
        raise _failure(f"{files[0].name}", "Hash Sum mismatch")
    return files[0]


def _failure(what: str, stderr: str) -> LabError:
    """The error for a failed run of apt: what failed and what to do."""
    lines = [
        line.removeprefix("E: ")
        for line in stderr.splitlines()
        if re.match(r"E:|\s+\S", line) and "Some index files" not in line
    ]
    detail = command.tail("\n".join(lines), 2)
    if _FORGED.search(stderr):
        return LabError(
            f"{what}: does not match its signature or checksum: {detail}; "
            f"run apt-get update and try again, {KSRC_HINT}"
        )
    return Unavailable(f"{what}: could not be fetched: {detail}")


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
