"""Calls sent when they are due, answered or not: a load client that costs next to nothing, in a process of its own.

    python -m tests.bench.open_load ADDRESS METHOD FILE --rate 5000 --seconds 4 --timeout 0.5 --connections 4

It speaks as much of HTTP/2 as a call takes, by hand: gRPC's own client would take a processor at the rates that are
beyond a service. As any client it keeps to the streams that a connection may have and to the windows. A call's deadline
begins when it is due: the service is told what is left of it when the call is sent, and one that waits past it is given
up unsent. FILE has the requests, a line of base64 each. Prints what came of the calls as JSON.
"""

import argparse
import base64
import json
import math
import selectors
import socket
import struct
import time
from collections import Counter, deque
from pathlib import Path

DATA, HEADERS, RESET, SETTINGS, PING, WINDOW = 0, 1, 3, 4, 6, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
TABLE_SIZE, STREAMS, FIRST_WINDOW = 1, 3, 4  # of SETTINGS
MOST = 2**31 - 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PIECE = 16_384  # bytes of a frame


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def headers(method: str) -> bytes:
    """What all calls of a method begin with, by HPACK: none of it is indexed by the call before."""
    path = method.encode()
    block = b"\x83\x86\x04" + bytes([len(path)]) + path + b"\x01\x01x\x0f\x10\x10application/grpc"
    return block + header(b"te", b"trailers")


def header(name: bytes, value: bytes) -> bytes:
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


class Connection:
    """One connection: what is due on it, what is under way, what came back."""

    def __init__(self, address: str, block: bytes, timeout: float) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        chosen = struct.pack(">HIHI", TABLE_SIZE, 0, FIRST_WINDOW, MOST)
        self._out = bytearray(PREFACE + frame(SETTINGS, 0, 0, chosen))
        self._out += frame(WINDOW, 0, 0, struct.pack(">I", MOST - 65_535))
        self._block, self._timeout = block, timeout
        self._in = bytearray()
        self._due: deque[tuple[float, bytes]] = deque()
        self._under_way: dict[int, float] = {}
        self._stream, self._streams, self._window, self._first = 1, MOST, 65_535, 65_535
        self.latencies: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.write()
        self.socket.setblocking(False)

    @property
    def is_done(self) -> bool:
        return not self._due and not self._under_way

    def ask(self, due: float, request: bytes) -> None:
        self._due.append((due, b"\0" + struct.pack(">I", len(request)) + request))

    def send(self) -> None:
        """What is due, as far as the connection allows."""
        now = time.perf_counter()
        while self._due and len(self._under_way) < self._streams:
            due, body = self._due[0]
            left = due + self._timeout - now
            if left <= 0:
                self.statuses["unsent"] += 1
            elif len(body) > min(self._window, self._first):
                break
            else:
                self._window -= len(body)
                self._call(due, left, body)
            self._due.popleft()
        self.write()

    def write(self) -> None:
        try:
            del self._out[: self.socket.send(self._out)]
        except BlockingIOError:
            return

    def read(self) -> None:
        self._in += self.socket.recv(1 << 20)
        at, now = 0, time.perf_counter()
        while len(self._in) - at >= 9:
            size = int.from_bytes(self._in[at : at + 3], "big")
            if len(self._in) - at - 9 < size:
                break
            kind, flags, stream = struct.unpack_from(">BBI", self._in, at + 3)
            self._take(kind, flags, stream, bytes(self._in[at + 9 : at + 9 + size]), now)
            at += 9 + size
        del self._in[:at]

    def _call(self, due: float, left: float, body: bytes) -> None:
        deadline = header(b"grpc-timeout", b"%dm" % math.ceil(left * 1e3))
        self._out += frame(HEADERS, END_HEADERS, self._stream, self._block + deadline)
        for start in range(0, len(body), PIECE):
            end = END_STREAM if start + PIECE >= len(body) else 0
            self._out += frame(DATA, end, self._stream, body[start : start + PIECE])
        self._under_way[self._stream] = due
        self._stream += 2

    def _take(self, kind: int, flags: int, stream: int, payload: bytes, now: float) -> None:
        if kind == HEADERS and flags & END_STREAM:
            place = payload.find(b"grpc-status") + 11
            self._ended(stream, payload[place + 1 : place + 1 + payload[place]].decode(), now)
        elif kind == RESET:
            self._ended(stream, "reset", now)
        elif kind == SETTINGS and not flags & ACK:
            chosen = dict(struct.iter_unpack(">HI", payload))
            self._streams = chosen.get(STREAMS, self._streams)
            self._first = chosen.get(FIRST_WINDOW, self._first)
            self._out += frame(SETTINGS, ACK, 0, b"")
        elif kind == PING and not flags & ACK:
            self._out += frame(PING, ACK, 0, payload)
        elif kind == WINDOW and stream == 0:
            self._window += int.from_bytes(payload, "big")

    def _ended(self, stream: int, status: str, now: float) -> None:
        due = self._under_way.pop(stream, None)
        if due is None:
            return
        self.statuses[status if status != "0" or now <= due + self._timeout else "late"] += 1
        if status == "0":
            self.latencies.append(now - due)


def load(given: argparse.Namespace) -> dict[str, object]:
    requests = [base64.b64decode(line) for line in given.file.read_text("ascii").split()]
    block = headers(given.method)
    connections = [Connection(given.address, block, given.timeout) for _ in range(given.connections)]
    ready = selectors.DefaultSelector()
    for connection in connections:
        ready.register(connection.socket, selectors.EVENT_READ, connection)
    start, sent, calls = time.perf_counter() + 0.1, 0, round(given.rate * given.seconds)
    while time.perf_counter() < start + given.seconds + given.timeout + 0.2:
        while sent < calls and start + sent / given.rate <= time.perf_counter():
            connections[sent % len(connections)].ask(
                start + sent / given.rate, requests[sent % len(requests)]
            )
            sent += 1
        for connection in connections:
            connection.send()
        if sent == calls and all(connection.is_done for connection in connections):
            break
        for key, _ in ready.select(0.001):
            key.data.read()
    statuses = sum((connection.statuses for connection in connections), Counter[str]())
    return {"calls": calls, "statuses": statuses, "latencies": [s for c in connections for s in c.latencies]}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address")
    parser.add_argument("method")
    parser.add_argument("file", type=Path)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--timeout", type=float, required=True)
    parser.add_argument("--connections", type=int, default=4)
    print(json.dumps(load(parser.parse_args())))


if __name__ == "__main__":
    main()
