"""Screenshots of every view at two sizes and in both schemes, to look at: in e2e/shots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from e2e.app import App
from e2e.test_axe import SIZES, VIEWS, drawn
from e2e.test_chat import TEMPLATE, write_template


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
class TestShots:
    @pytest.fixture
    def context_options(self, scheme: str, size: str) -> dict[str, Any]:
        width, height = SIZES[size]
        return {"viewport": {"width": width, "height": height}, "color_scheme": scheme}

    def test_every_view(self, ready: App, size: str, scheme: str, shots: Path) -> None:
        for view in VIEWS:
            drawn(ready, view)
            if view == "chat":
                write_template(ready, TEMPLATE)
                ready.page.locator("#chat-tokens [data-id]").first.wait_for()
            ready.page.screenshot(
                path=shots / f"{view}-{size}-{scheme}.png", full_page=size == "phone"
            )
            width = ready.page.evaluate("document.documentElement.scrollWidth")
            assert width <= SIZES[size][0], f"{view} scrolls sideways"
