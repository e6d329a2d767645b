# SPDX-License-Identifier: GPL-2.0
"""Clients that ask for everything and read nothing.

    silent.py SERVER FILEHANDLE CONNECTIONS REQUESTS SECONDS

Opens so many TCP connections to an NFS server, sends so many NFSv3 READs of 1
MiB on each, and never receives. FILEHANDLE is in hexadecimal, as
/proc/fs/nfsd/filehandle gives it. Connections that the server closes are not
made again. Prints how many are open at the end.
"""

import select
import socket
import struct
import sys
import time

NFS_PORT = 2049
NFS_PROGRAM, NFS_VERSION, READ = 100003, 3, 6
AUTH_UNIX = 1
READ_BYTES = 1 << 20
RCVBUF_BYTES = 4096


def _opaque(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def call(xid: int, handle: bytes, offset: int) -> bytes:
    """A READ as a record of RPC over TCP, RFC 5531 and RFC 1813."""
    credential = struct.pack(">I", 0) + _opaque(b"silent")
    credential += struct.pack(">III", 0, 0, 0)
    text = struct.pack(">IIIIII", xid, 0, 2, NFS_PROGRAM, NFS_VERSION, READ)
    text += struct.pack(">I", AUTH_UNIX) + _opaque(credential)
    text += struct.pack(">II", 0, 0)  # no verifier
    text += _opaque(handle) + struct.pack(">QI", offset, READ_BYTES)
    return struct.pack(">I", 1 << 31 | len(text)) + text


def ask(server: str, requests: bytes) -> socket.socket:
    """Connect and send requests."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RCVBUF_BYTES)
    made.connect((server, NFS_PORT))
    made.sendall(requests)
    return made


def is_open(made: socket.socket) -> bool:
    """Whether the server has not closed a connection."""
    poll = select.poll()
    poll.register(made, select.POLLRDHUP)
    return not poll.poll(0)


def main(server: str, filehandle: str, connections: str, requests: str, seconds: str) -> None:
    """See the top."""
    handle = bytes.fromhex(filehandle)
    wanted = b"".join(call(xid, handle, xid * READ_BYTES) for xid in range(int(requests)))
    made = [ask(server, wanted) for _ in range(int(connections))]
    print(f"asked={len(made)}", flush=True)
    time.sleep(float(seconds))
    print(f"open={sum(map(is_open, made))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
