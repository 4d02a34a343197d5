"""A server that answers as tests/data/addresses.json says: case N at /N/.

    python -m tests.addresses     prints its port, and serves until its standard input ends

/N/... answers as case N, /file has the header of the file alone, and /sent/N lists the paths that
case N was asked for. A case's keys:

name, answer   what it is, and what a reader of it answers: "loads", or words of the error
status         200: the entire file, without Range; otherwise 206
most, more     bytes of an answer at most; bytes beyond what was asked for
first, shift   where an answer begins, instead of where it was asked for; how much later
total, span    the total as sent; false: no Content-Range
headers        instead of the server's own, or null for none
gzip, drop     compressed; how many bytes are missing when the connection ends
drip           a byte every 0.1 s, of the body or of the headers, for ever
file           "short": ends in its header; "empty"; "claims": more than there is, with `need`
later          keys of the second answer and those after it
error          a status without a body
redirect       the Location; "": this address
path, sent     the path after /N/, and what arrives of it
user           user and password in the address
"""

import gzip
import json
import re
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.gguf_writer import ARRAY, STRING, UINT8, Entry, write

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "addresses.json").read_text(encoding="utf-8")
)
PADDING = 5_500_000  # bytes: more than Python and the page ask for at first


@lru_cache(maxsize=1)
def header() -> bytes:
    name = Entry("general.name", STRING, "far away")
    return write([name, Entry("padding", ARRAY, (UINT8, bytes(PADDING)))])


@lru_cache(maxsize=4)
def file(kind: str) -> bytes:
    if kind == "claims":
        claim = write([Entry("padding", ARRAY, (UINT8, b""))])
        assert claim.endswith(bytes(8))
        return claim[:-8] + (10**9).to_bytes(8, "little") + bytes(PADDING)
    return {"": header() + b"tensors" * 300_000, "short": header()[:3_000_000], "empty": b""}[kind]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20
    asked: dict[int, list[str]] = defaultdict(list)  # noqa: RUF012

    def do_GET(self) -> None:
        self.close_connection = True
        match = re.fullmatch(r"/(\d+)/(.*)", self.path)
        with suppress(OSError):
            if match:
                self.answer(int(match[1]), match[2])
            elif self.path == "/file":
                self.body(200, header(), {})
            else:
                sent = self.asked[int(self.path.removeprefix("/sent/"))]
                self.body(200, json.dumps(sent).encode(), {})

    do_HEAD = do_GET

    def answer(self, number: int, path: str) -> None:
        case = CASES[number]
        if self.asked[number]:
            case = case | case.get("later", {})
        self.asked[number].append(path)
        if "redirect" in case:
            self.body(302, b"", {"Location": case["redirect"] or self.path})
        elif "drip" in case:
            self.drip(case["drip"])
        elif "error" in case:
            self.body(case["error"], b"", {})
        else:
            self.part(case)

    def part(self, case: dict[str, Any]) -> None:
        data = file(case.get("file", ""))
        first, last = map(int, re.findall(r"\d+", self.headers["Range"]))
        first = case.get("first", first) + case.get("shift", 0)
        size = min(last + 1 - first + case.get("more", 0), case.get("most", len(data)))
        status = case.get("status", 206)
        part = data if status == 200 else data[first : first + size]
        headers = {"Content-Encoding": "gzip"} if case.get("gzip") else {}
        if first >= len(data):
            status = 416
        elif status == 206 and case.get("span", True):
            end = first + max(len(part), 1) - 1
            headers["Content-Range"] = f"bytes {first}-{end}/{case.get('total', len(data))}"
        part = gzip.compress(part, 1) if case.get("gzip") else part
        self.body(status, part, headers | case.get("headers", {}), case.get("drop", 0))

    def body(self, status: int, data: bytes, headers: dict[str, str], drop: int = 0) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": len(data)} | headers).items():
            if value is not None:
                self.send_header(name, str(value))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data[: len(data) - drop])

    def drip(self, what: object) -> None:
        if what == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(header()[:64])
        while True:
            self.wfile.write(b"\0" if what is True else b"x")
            time.sleep(0.1)

    def log_message(self, *_: object) -> None:
        pass


def serve() -> ThreadingHTTPServer:
    """The server, started, on a port of its own."""
    Handler.asked.clear()
    server = ThreadingHTTPServer(("localhost", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    print(serve().server_port, flush=True)
    sys.stdin.read()
