"""Serve dist/ on this machine, with the headers that a host of the page should send.

python tools/serve.py [--port 8000] [--directory dist]
"""

from __future__ import annotations

import argparse
import email.utils
import io
import os
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).parent.parent
# connect-src: the page reads the head of a model at an address that its user types, and only that.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; "
    "worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
ENCODINGS = {"br": ".br", "gzip": ".gz"}  # the first that the browser takes and that is there
TYPES = {
    "": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".gguf": "application/octet-stream",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/zip",
    ".zip": "application/zip",
}


class Handler(SimpleHTTPRequestHandler):
    """Static files with right types, safe headers and precompressed siblings."""

    protocol_version = "HTTP/1.1"
    extensions_map = TYPES

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        body, encoding = self._best(path)
        stat = body.stat()
        if self._not_modified(stat):
            return None
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(stat.st_size))
        self.send_header("Last-Modified", self.date_time_string(int(stat.st_mtime)))
        self.send_header("Vary", "Accept-Encoding")
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        return body.open("rb")

    def _best(self, path: Path) -> tuple[Path, str]:
        parts = self._header("Accept-Encoding").split(",")
        accepted = {part.split(";")[0].strip() for part in parts}
        for encoding, suffix in ENCODINGS.items():
            sibling = path.with_name(path.name + suffix)
            if encoding in accepted and sibling.is_file():
                return sibling, encoding
        return path, ""

    def _not_modified(self, stat: os.stat_result) -> bool:
        try:
            since = email.utils.parsedate_to_datetime(self._header("If-Modified-Since")).timestamp()
        except (TypeError, ValueError):
            return False
        if int(stat.st_mtime) > since:
            return False
        self.send_response(HTTPStatus.NOT_MODIFIED)
        self.end_headers()
        return True

    def _header(self, name: str) -> str:
        return self.headers.get(name) or ""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of requests: the page makes a dozen, and none is news."""


class Server(ThreadingHTTPServer):
    """One thread a connection; a browser that goes away is no error."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        pass


def make_server(directory: Path, port: int = 0) -> Server:
    """A server on 127.0.0.1 (port 0: any free one) that is not running yet."""
    return Server(("127.0.0.1", port), partial(Handler, directory=str(directory)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the built page on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--directory", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    try:
        server = make_server(options.directory, options.port)
    except OSError as error:
        problem = f"Port {options.port} cannot be used ({error.strerror})"
        sys.exit(f"{problem}; try another: make serve PORT={options.port + 1}")
    with server:
        print(f"http://localhost:{server.server_port}  (Ctrl+C stops it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
