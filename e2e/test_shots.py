"""Screenshots of every view at two sizes and in both schemes, to look at: in e2e/shots."""

from __future__ import annotations

from pathlib import Path

from e2e.app import App
from e2e.looks import VIEWS, EveryLook, drawn, picture
from e2e.test_chat import TEMPLATE, write_template


class TestShots(EveryLook):
    def test_every_view(self, ready: App, size: str, scheme: str, shots: Path) -> None:
        for view in VIEWS:
            drawn(ready, view)
            if view == "chat":
                write_template(ready, TEMPLATE)
                ready.page.locator("#chat-tokens [data-id]").first.wait_for()
            picture(ready, shots / f"{view}-{size}-{scheme}.png", size == "phone")
