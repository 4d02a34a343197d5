"""The built page on a server of its own, and a real Chromium to open it with."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tools import chromium
from tools.serve import ROOT, Handler, Server

DIST = ROOT / "dist"
VIEWPORT: ViewportSize = {"width": 1280, "height": 800}


@dataclass(frozen=True, slots=True)
class Site:
    """Where the page is, and (path, bytes of its body as sent) of each answer so far."""

    url: str
    browser: Browser
    sent: list[tuple[str, int]] = field(default_factory=list)

    @contextmanager
    def page(self) -> Iterator[Page]:
        """A page with an empty cache."""
        context = self.browser.new_context(viewport=VIEWPORT, service_workers="block")
        yield context.new_page()
        context.close()


@contextmanager
def open_site(directory: Path = DIST) -> Iterator[Site]:
    sent: list[tuple[str, int]] = []

    class Counting(Handler):
        def send_header(self, keyword: str, value: str) -> None:
            if keyword == "Content-Length":
                sent.append((self.path, int(value)))
            super().send_header(keyword, value)

    server = Server(("127.0.0.1", 0), partial(Counting, directory=str(directory)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with server, sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield Site(f"http://localhost:{server.server_port}/", browser, sent)
        browser.close()
        server.shutdown()


def arguments(description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--site", type=Path, default=DIST, help="a built site; default: dist")
    return parser.parse_args()
