"""A server with the Hub's API, for tests: GET /api/models/user/repo/revision/REVISION and
/user/repo/resolve/REVISION/PATH, with Range.

    python -m tests.hub     prints its port, and serves until its standard input ends
"""

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from tests.reference import vocab_path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "me/model": ["README.md", "m-Q4_K_M.gguf", "m-Q8_0-00001-of-00002.gguf", "../../x.gguf"],
    "me/original": ["config.json", "tokenizer.json"],
    "me/secret": ["m.gguf"],  # needs the token "secret"
}
CONTENT = {
    "m-Q4_K_M.gguf": vocab_path("test").read_bytes(),
    "m-Q8_0-00001-of-00002.gguf": vocab_path("whitespace").read_bytes(),
    "m.gguf": vocab_path("plamo2").read_bytes(),
}


class Handler(BaseHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        api = re.fullmatch(r"/api/models/([^/]+/[^/]+)/revision/([^/]+)", self.path)
        file = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", self.path)
        match = api or file
        repo = match[1] if match else ""
        if repo == "me/broken":
            self.reply(200, b'{"siblings": 5}')
        elif repo == "me/page":
            self.reply(200, b"<html>")
        elif repo == "me/busy":
            self.reply(503, b"")
        elif repo not in FILES or not self.allowed(repo):
            self.reply(401, b"")
        elif api:
            siblings = [{"rfilename": path} for path in FILES[repo]]
            self.reply(200, json.dumps({"sha": COMMIT, "siblings": siblings}).encode())
        elif file and unquote(file[3]) in FILES[repo]:
            self.part(CONTENT[unquote(file[3])])
        else:
            self.reply(404, b"")

    def allowed(self, repo: str) -> bool:
        return repo != "me/secret" or self.headers["Authorization"] == "Bearer secret"

    def part(self, data: bytes) -> None:
        first, last = map(int, re.findall(r"\d+", self.headers["Range"]))
        part = data[first : last + 1]
        self.reply(206, part, f"bytes {first}-{first + len(part) - 1}/{len(data)}")

    def reply(self, status: int, body: bytes, span: str = "") -> None:
        self.send_response(status)
        if span:
            self.send_header("Content-Range", span)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

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
