# SPDX-License-Identifier: GPL-2.0
"""Faults: what the daemon looks at goes away."""

import contextlib
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import namespaces
from campaign import NFSD, THEIRS, Campaign, Case, Values, end
from world import NOBODY, RMEM

# A mount, and its read-ahead; nothing of this machine has that number.
MOUNTED, BDI = "10.0.1.2", "/sys/class/bdi/0:4095"
MOUNTINFO = (
    "90 22 0:4095 / /mnt rw - nfs4 server:/ rw,vers=4.2,rsize=1048576,proto=tcp,port=2049,"
    f"addr={MOUNTED}\n"
)
READ_AHEAD = (
    "mount --bind {} /proc/$$/mountinfo && mount -t tmpfs none /sys/class/bdi"
    f" && mkdir {BDI} && echo 1 >{BDI}/read_ahead_kb && chown {{}} {BDI}/read_ahead_kb"
)


def vanishing(campaign: Campaign) -> list[Case]:
    """The device, the namespace's name, the peer and nfsd's files go away."""
    server, client = campaign.world.host, campaign.client

    def device() -> None:
        namespaces.join(server, client, 2)
        daemon = campaign.started()
        campaign.soon()
        server.ip("link del veth2")
        campaign.soon()
        end(daemon)

    def peer() -> None:
        with traffic(server, client, "fd00:1::1"):
            daemon = campaign.started()
            campaign.soon()
        campaign.soon()
        end(daemon)

    def mount() -> None:
        gone = f"{NFSD} && {{ (sleep 0.05; umount /proc/fs) & }}"
        daemon = campaign.world.start("--interval", "10ms", mounts=gone)
        campaign.soon()
        end(daemon)

    return [device, peer, mount] * 10


def deleted(campaign: Campaign) -> list[Case]:
    """The network namespace is deleted; a mount goes, with its read-ahead."""
    world, client = campaign.world, campaign.client
    doomed = replace(world, host=replace(world.host, name=f"{world.host.name}-gone"))

    def signum() -> signal.Signals:
        return campaign.rand.choice((signal.SIGTERM, signal.SIGKILL))

    @contextlib.contextmanager
    def namespace() -> Iterator[Values]:
        namespaces.run("ip", "netns", "add", doomed.host.name)
        try:
            yield doomed.values()
        finally:
            namespaces.run("ip", "netns", "del", doomed.host.name)

    def delete() -> None:
        with namespace() as values:
            daemon = doomed.start("--interval", "10ms", mounts=NFSD)
            daemon.wait_for(lambda: doomed.values() != values)
        campaign.soon()
        end(daemon, signum())
        # Another one of that name has values of its own.
        with namespace():
            doomed.set(RMEM, THEIRS)
            values = doomed.values()
            done = doomed.call("restore")
            assert done.returncode == 0, done
            assert doomed.values() == values, done

    def unmount() -> None:
        (world.statedir.parent / "mountinfo").write_text(MOUNTINFO)
        with contextlib.ExitStack() as stack:
            namespaces.connect(stack, client, world.host, MOUNTED, namespaces.NFS_PORT)
            mounts = READ_AHEAD.format(world.statedir.parent / "mountinfo", NOBODY)
            daemon = world.start("--interval", "10ms", mounts=mounts)
            daemon.says("read_ahead_kb")
            inside = f"--mount=/proc/{daemon.process.pid}/ns/mnt"
            namespaces.run("nsenter", inside, "rm", "-r", BDI)
            campaign.soon()
            assert daemon.end(signum()) in (0, -signal.SIGKILL), daemon.log()

    return [delete, unmount] * 10


@contextlib.contextmanager
def traffic(server: namespaces.Host, client: namespaces.Host, address: str) -> Iterator[None]:
    """Data flows to a client all the time."""
    done = threading.Event()

    def send(sock: socket.socket) -> None:
        while not done.wait(0.01):
            sock.sendall(bytes(16384))

    def receive(sock: socket.socket) -> None:
        while sock.recv(65536):
            pass

    with contextlib.ExitStack() as stack:
        ours, theirs = namespaces.connect(stack, server, client, address, namespaces.NFS_PORT)
        threads = [
            threading.Thread(target=send, args=(ours,)),
            threading.Thread(target=receive, args=(theirs,)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            done.set()
            threads[0].join()
            ours.shutdown(socket.SHUT_RDWR)
            threads[1].join()
