"""The header of a GGUF file at an http(s) address, by Range requests.

web/engine/remote.js follows the same rules. tests/data/addresses.json lists them, one case each.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import IO, Any, TypeVar
from urllib import request as web
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit, urlunsplit

from pyodide_tok.errors import TokError, TruncatedError
from pyodide_tok.gguf.reader import FIRST, GGUFFile

TIMEOUT = 60.0  # seconds, from the first request to the last byte
LIMIT = 1 << 28  # bytes of header; gemma-4 has 16 million
MAX_REQUESTS = 500  # a server may send less than it is asked for

Result = TypeVar("Result")

_MAX_JSON = 1 << 26
_CHUNK = 1 << 16
_SPAN = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15}|\*)", re.IGNORECASE)
_IN_PATH = "%/:=&~+!$,;'@()*"
_IN_QUERY = _IN_PATH + "?"


class RemoteError(TokError, ValueError):
    """A file cannot be read from its address, `url`. `status`: of the answer, if that is why."""

    code = "remote"

    def __init__(self, why: str, url: str = "", status: int = 0) -> None:
        super().__init__(f"{url} cannot be read: {why}." if url else why)
        self.url = url
        self.status = status


def is_url(source: str) -> bool:
    """Whether a source is an http or https address."""
    return source.lower().startswith(("http://", "https://"))


def fetch(url: str, *, timeout: float = TIMEOUT, token: str = "") -> GGUFFile:
    """The header of the GGUF file at `url`.

    A server without Range is read as a stream, which is cut off where the header ends. timeout:
    seconds for everything. token: sent as a bearer token, to this host only. Raises `RemoteError`,
    `GGUFError`.
    """
    return within(timeout, url, lambda: _header(_Beginning(url, monotonic() + timeout, token)))


def fetch_json(url: str, *, timeout: float = TIMEOUT, token: str = "") -> Any:
    """The JSON at `url`.  Raises `RemoteError`."""

    def read() -> Any:
        try:
            with opened(url, {"Accept": "application/json"}, token, timeout) as response:
                return json.loads(response.read(_MAX_JSON))
        except RemoteError:
            raise
        except (OSError, HTTPException, ValueError) as error:
            raise RemoteError(f"the answer is not JSON ({error})", url) from error

    return within(timeout, url, read)


def within(timeout: float, url: str, work: Callable[[], Result]) -> Result:
    """The result of `work()`, or an error after `timeout` seconds, whatever it waits for then."""
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # reported where the result is awaited
            done.set_exception(error)

    try:
        threading.Thread(target=run, daemon=True).start()
    except RuntimeError as error:  # Pyodide has no threads, and no sockets either
        raise RemoteError(f"this Python cannot open connections ({error})", url) from error
    try:
        return done.result(timeout)
    except TimeoutError:
        raise RemoteError(f"it took longer than {timeout:g} seconds", url) from None


def opened(url: str, headers: dict[str, str], token: str, timeout: float) -> HTTPResponse:
    """The answer to a GET request. Raises `RemoteError` unless it is a success."""
    try:
        request = web.Request(_encoded(url), headers={"User-Agent": "pyodide-tok", **headers})
        if token:
            request.add_unredirected_header("Authorization", f"Bearer {token}")
        response: HTTPResponse = _opener().open(request, timeout=max(timeout, 0.01))
        return response
    except HTTPError as error:
        error.close()
        raise RemoteError(_refusal(error.code), url, error.code) from error
    except URLError as error:
        raise RemoteError(
            f"there is no such server, or it does not answer ({error.reason})", url
        ) from error
    except (OSError, HTTPException) as error:
        raise RemoteError(f"the server does not answer in HTTP ({error})", url) from error
    except ValueError as error:
        raise RemoteError(str(error), url) from error


def _refusal(status: int) -> str:
    if 300 <= status < 400:
        return "it redirects in a circle, or to an address that is not http or https"
    return f"the server answered {status}"


class _Redirects(web.HTTPRedirectHandler):
    """Redirects to http and https only; a token stays with the host that it is meant for."""

    def redirect_request(
        self, req: web.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> web.Request | None:
        if not is_url(newurl):
            raise HTTPError(req.full_url, code, msg, headers, fp)
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        token = req.unredirected_hdrs.get("Authorization")
        if request and token and urlsplit(newurl)[:2] == urlsplit(req.full_url)[:2]:
            request.add_unredirected_header("Authorization", token)
        return request


@lru_cache(maxsize=1)
def _opener() -> web.OpenerDirector:
    """Only what http and https need: neither files nor FTP."""
    opener = web.OpenerDirector()
    for handler in (
        web.ProxyHandler,
        web.HTTPHandler,
        web.HTTPSHandler,
        web.HTTPDefaultErrorHandler,
        web.HTTPErrorProcessor,
        _Redirects,
    ):
        opener.add_handler(handler())
    return opener


def _encoded(url: str) -> str:
    """An address in ASCII, as a browser sends it."""
    if not is_url(url):
        raise ValueError("it is not an http or https address")
    parts = urlsplit(url)
    if parts.username is not None:
        raise ValueError("it contains a user name or a password, which browsers refuse")
    if not parts.hostname:
        raise ValueError("it has no host")
    host = parts.hostname
    host = f"[{host}]" if ":" in host else host.encode("idna").decode()
    netloc = host if parts.port is None else f"{host}:{parts.port}"
    path, query = quote(parts.path, _IN_PATH), quote(parts.query, _IN_QUERY)
    return urlunsplit((parts.scheme, netloc, path, query, ""))


def _header(beginning: _Beginning) -> GGUFFile:
    want = FIRST
    with beginning:
        while True:
            beginning.grow(want)
            try:
                return GGUFFile.parse(bytes(beginning.data))
            except TruncatedError as error:
                if beginning.complete:
                    raise
                want = max(error.need, min(2 * want, LIMIT))
            if want > LIMIT:
                raise RemoteError(f"its header is longer than {LIMIT:,} bytes", beginning.url)


class _Beginning:
    """The first bytes of a file; `complete` when it has no more."""

    def __init__(self, url: str, deadline: float, token: str) -> None:
        self.url = url
        self.data = bytearray()
        self.complete = False
        self._deadline, self._token = deadline, token
        self._requests = 0
        self._total: int | None = None
        self._has_spans = True  # a server that does not say what it sends is asked from the start
        self._stream: Any = None  # the entire file, from a server without Range

    def __enter__(self) -> _Beginning:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream:
            with suppress(OSError):
                self._stream.close()

    def grow(self, size: int) -> None:
        """Reads on until there are `size` bytes, or no more."""
        try:
            while len(self.data) < size and not self.complete:
                if self._stream is None:
                    self._ask(size)
                else:
                    self._take(self._stream, size)
                    self.complete = len(self.data) < size
        except RemoteError:
            raise
        except (OSError, HTTPException, EOFError, ValueError) as error:
            raise self._error(f"the connection broke off ({error})") from error

    def _error(self, why: str) -> RemoteError:
        return RemoteError(why, self.url)

    def _ask(self, size: int) -> None:
        if self._requests == MAX_REQUESTS:
            raise self._error(f"the server sends too little: {len(self.data):,} bytes so far")
        self._requests += 1
        first = len(self.data) if self._has_spans else 0
        headers = {"Range": f"bytes={first}-{size - 1}", "Accept-Encoding": "identity"}
        try:
            response = opened(self.url, headers, self._token, self._deadline - monotonic())
        except RemoteError as error:
            if error.status != 416 or not self.data:
                raise
            self.complete = True  # the file ends here
            return
        if response.status == 206:
            with response:
                self._part(response, first, size)
            return
        if response.status != 200:
            with response:
                raise RemoteError(_refusal(response.status), self.url, response.status)
        self.data.clear()  # no Range: the file from its start
        self._stream = self._decoded(response)

    def _decoded(self, response: HTTPResponse) -> Any:
        """The body of an entire file, which may be compressed although nobody asked for that."""
        encoding = _encoding(response)
        if encoding in ("gzip", "x-gzip"):
            return gzip.GzipFile(fileobj=response)
        self._refuse_compressed(encoding)
        return response

    def _refuse_compressed(self, encoding: str) -> None:
        if encoding not in ("", "identity"):
            raise self._error(f"the server sends it compressed ({encoding})")

    def _part(self, response: HTTPResponse, asked: int, size: int) -> None:
        """A part that continues the bytes so far, or begins them again; any other is refused."""
        self._refuse_compressed(_encoding(response))
        before = len(self.data)
        span = response.headers["Content-Range"]
        if span is None:
            self._has_spans = False
            if asked:
                return  # ask again, from the start
            first, end = 0, size
        else:
            first, end = self._span(span)
        if first not in (0, asked):
            raise self._error(f"the server sent bytes from {first:,} on, not from {asked:,} on")
        del self.data[first:]
        self._take(response, min(size, end))
        if len(self.data) <= before and self._total is not None and before < self._total:
            raise self._error("the server sends no bytes")
        known = self._total is not None
        self.complete = len(self.data) == self._total if known else len(self.data) <= before

    def _span(self, text: str) -> tuple[int, int]:
        """Where a part begins and ends."""
        match = _SPAN.fullmatch(text)
        if match is None:
            raise self._error(f"the server's Content-Range makes no sense: {text!r}")
        first, end = int(match[1]), int(match[2]) + 1
        total = None if match[3] == "*" else int(match[3])
        if end < first or (total is not None and total < end):
            raise self._error(f"the server's Content-Range makes no sense: {text!r}")
        if total is not None and self._total not in (None, total):
            raise self._error("the file changed while it was read")
        self._total = self._total if total is None else total
        return first, end

    def _take(self, body: Any, size: int) -> None:
        """Bytes of a body until there are `size`, or the body ends."""
        while len(self.data) < size:
            if monotonic() > self._deadline:
                raise self._error("it took too long")
            part = body.read(min(_CHUNK, size - len(self.data)))
            if not part:
                if getattr(body, "length", None):
                    raise self._error("the connection broke off")
                return
            self.data += part


def _encoding(response: HTTPResponse) -> str:
    return (response.headers["Content-Encoding"] or "").strip().lower()
