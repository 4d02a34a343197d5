"""The head of a GGUF file at an http(s) address: by Range requests, never the whole file."""

from __future__ import annotations

import re
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from pyodide_tok.errors import TokError, TruncatedError
from pyodide_tok.gguf.reader import FIRST, GGUFFile
from pyodide_tok.gguf.signatures import MAX_HEADER

TIMEOUT = 30.0  # seconds

_BLOB = re.compile(r"(https?://(?:huggingface\.co|hf\.co)/[^/]+/[^/]+)/blob/")


class RemoteError(TokError, ValueError):
    """A file cannot be read from its address; `url` is that."""

    code = "remote"

    def __init__(self, message: str, url: str = "") -> None:
        super().__init__(f"{url}: {message}" if url else message)
        self.url = url


def is_url(source: str) -> bool:
    """Whether a source is an http or https address."""
    return source.lower().startswith(("http://", "https://"))


def fetch(url: str) -> GGUFFile:
    """The head of the GGUF file at `url`; pages of files on Hugging Face are understood.

    A server without Range is read as a stream, which is cut off where the head ends. Raises
    `RemoteError`, `GGUFError`.
    """
    with _Head(_BLOB.sub(r"\1/resolve/", url)) as head:
        want = FIRST
        while True:
            head.grow(want)
            try:
                return GGUFFile.parse(bytes(head.data))
            except TruncatedError as error:
                if head.complete:
                    raise
                want = min(max(error.need, 2 * want), MAX_HEADER + 1)


class _Head:
    """The first bytes of a file; `complete` when it has no more."""

    def __init__(self, url: str) -> None:
        if not is_url(url):
            raise RemoteError("is no http or https address", url)
        self.url = url
        self.data = bytearray()
        self.complete = False
        self._stream: HTTPResponse | None = None

    def __enter__(self) -> _Head:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream:
            with suppress(OSError):
                self._stream.close()

    def grow(self, size: int) -> None:
        """Reads on until there are `size` bytes, or no more."""
        try:
            self._grow(size)
        except HTTPError as error:
            with error:
                if error.code == 416 and self.data:  # the file ends here
                    self.complete = True
                    return
                message = f"the server says {error.code} {error.reason}"
            raise RemoteError(message, self.url) from error
        except URLError as error:
            raise RemoteError(f"cannot be reached: {error.reason}", self.url) from error
        except (OSError, HTTPException, ValueError) as error:
            raise RemoteError(f"cannot be read: {error}", self.url) from error

    def _grow(self, size: int) -> None:
        if self._stream is None:
            response = self._open(size)
            if response.status == 206:
                with response:
                    self._take(response, size)
                    self.complete &= not self._is_part(response)
                return
            # no Range: the file from its start
            self._stream = response
            response.read(len(self.data))
        self._take(self._stream, size)

    def _is_part(self, response: HTTPResponse) -> bool:
        """Whether the server has more: it may send less than it was asked for."""
        match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", response.headers["Content-Range"] or "")
        if match is None:
            return False
        first, last, total = map(int, match.groups())
        if last + 1 != len(self.data):
            raise ValueError(f"the server sent bytes {first} to {last}, which were not asked for")
        return last + 1 < total

    def _open(self, size: int) -> HTTPResponse:
        span = f"bytes={len(self.data)}-{size - 1}"
        request = Request(self.url, headers={"Range": span, "User-Agent": "pyodide-tok"})
        response: HTTPResponse = urlopen(request, timeout=TIMEOUT)
        return response

    def _take(self, response: HTTPResponse, size: int) -> None:
        wanted = size - len(self.data)
        self.data += response.read(wanted)
        self.complete = len(self.data) < size
