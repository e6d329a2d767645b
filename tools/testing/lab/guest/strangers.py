# SPDX-License-Identifier: GPL-2.0
"""Strange clients: they ask for everything.

Each opens a TCP connection to an NFS server and sends NFSv3 READs. By default it
never receives; with --take it does, and asks again for what it got. FILEHANDLE is in hexadecimal, as /proc/fs/nfsd/filehandle
gives it. Connections that the server closes are not made again. Prints how many
were made, and how many are open at the end.
"""

import argparse
import ipaddress
import select
import socket
import struct
import time

NFS_PORT = 2049
NFS_PROGRAM, NFS_VERSION, READ = 100003, 3, 6
AUTH_UNIX = 1
FILE_BYTES = 200 << 30
TAKE_BYTES = 1 << 20
SO_RCVBUFFORCE = 33


def _opaque(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def call(xid: int, handle: bytes, size: int) -> bytes:
    """A READ as a record of RPC over TCP, RFC 5531 and RFC 1813."""
    credential = struct.pack(">I", 0) + _opaque(b"strange")
    credential += struct.pack(">III", 0, 0, 0)
    text = struct.pack(">IIIIII", xid, 0, 2, NFS_PROGRAM, NFS_VERSION, READ)
    text += struct.pack(">I", AUTH_UNIX) + _opaque(credential)
    text += struct.pack(">II", 0, 0)  # no verifier
    text += _opaque(handle) + struct.pack(">QI", xid * size % FILE_BYTES, size)
    return struct.pack(">I", 1 << 31 | len(text)) + text


class Stranger:
    """One client and its connection, which is being made."""

    def __init__(self, options: argparse.Namespace, index: int) -> None:
        self._bytes = options.bytes
        self._handle = bytes.fromhex(options.filehandle)
        self._asked = self._got_bytes = 0
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, options.rcvbuf)
        if options.first:
            self.socket.bind((str(ipaddress.ip_address(options.first) + index), 0))
        self.socket.setblocking(False)
        self.socket.connect_ex((options.server, NFS_PORT))

    def ask(self, requests: int) -> None:
        """Send so many requests."""
        xids = range(self._asked, self._asked + requests)
        self.socket.sendall(b"".join(call(xid, self._handle, self._bytes) for xid in xids))
        self._asked += requests

    def take(self) -> None:
        """Receive what is there, and ask for as much again."""
        before = self._got_bytes // self._bytes
        # The kernel need not copy what nobody looks at.
        self._got_bytes += len(self.socket.recv(TAKE_BYTES, socket.MSG_TRUNC))
        self.ask(self._got_bytes // self._bytes - before)


def run(strangers: list[Stranger], options: argparse.Namespace) -> int:
    """Have them ask until the time is over; how many are connected then."""
    end = time.monotonic() + options.seconds
    by_fd = {one.socket.fileno(): one for one in strangers}
    new = set(by_fd)
    poll = select.epoll()
    for fd in new:
        poll.register(fd, select.EPOLLOUT)
    while (left := end - time.monotonic()) > 0:
        for fd, events in poll.poll(left):
            if events & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
                poll.unregister(fd)
                del by_fd[fd]
            elif fd in new:
                new.remove(fd)
                by_fd[fd].socket.setblocking(True)
                by_fd[fd].ask(options.requests)
                reads = select.EPOLLIN if options.take else 0
                poll.modify(fd, select.EPOLLRDHUP | reads)
                if not new:
                    print(f"asked={len(strangers)}", flush=True)
            else:
                by_fd[fd].take()
    return len(by_fd)


def main() -> None:
    """See the top."""
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("filehandle")
    parser.add_argument("connections", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--requests", type=int, default=16, help="of each under way")
    parser.add_argument("--bytes", type=int, default=1 << 20, help="of a READ")
    parser.add_argument("--rcvbuf", type=int, default=4096, help="in bytes")
    parser.add_argument("--first", help="address of the first; the next has the next")
    parser.add_argument("--take", action="store_true", help="receive, and ask for more")
    options = parser.parse_args()
    strangers = [Stranger(options, index) for index in range(options.connections)]
    print(f"open={run(strangers, options)}")


if __name__ == "__main__":
    main()
