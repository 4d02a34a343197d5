"""The documentation beside the page, its example for JavaScript, and the picture in README."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

import pytest

from e2e.app import App
from e2e.looks import EveryLook, picture
from tools.serve import ROOT

PICTURE = ROOT / "docs" / "images" / "page.png"
PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))
SIZE = {"width": 1120, "height": 700}
TEXT = """Tokens are what a language model reads:
unbelievable, 1234567, naïve café, 你好世界, 🙂👩‍🚀

def greet(name):
    return f"Hello, {name}!"
"""


class TestPages(EveryLook):
    """Screenshots to look at, in e2e/shots."""

    def test_pages(self, app: App, shots: Path, size: str, scheme: str) -> None:
        """Nothing is refused by the host's policy, and no page is wider than the screen."""
        for name in PAGES:
            app.page.goto(f"{app.site}docs/{name}.html")
            app.page.locator("h1").wait_for()
            picture(app, shots / f"docs-{name}-{size}-{scheme}.png")
            colour = app.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert colour == {"light": "rgb(251, 251, 249)", "dark": "rgb(22, 24, 27)"}[scheme]


def examples() -> str:
    """The first example of docs/client.md as a module that notes what each line gives."""
    text = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
    code = re.findall(r"```js\n(.*?)```", text, re.DOTALL)[0]
    noted = re.sub(r"^(await .*); // (.*)$", r"note(\1, \2);", code, flags=re.MULTILINE)
    assert noted.count("note(") == 3
    plain = "(value) => JSON.stringify(ArrayBuffer.isView(value) ? [...value] : value)"
    return (
        f"const plain = {plain};\nconst seen = [];\n"
        "const note = (got, told) => seen.push([plain(got), plain(told)]);\n"
        f"{noted}\ndocument.documentElement.dataset.seen = JSON.stringify(seen);\n"
    )


def serve(app: App, name: str, content_type: str, body: str) -> None:
    answer = {"content_type": content_type, "body": body}
    app.page.route(f"**/{name}", lambda route: route.fulfill(**answer))


def test_javascript_example(app: App) -> None:
    """In a page of its own, as it stands in docs/client.md."""
    html = '<!doctype html><script type="module" src="example-of-docs.js"></script>'
    serve(app, "example-of-docs.html", "text/html", html)
    serve(app, "example-of-docs.js", "text/javascript", examples())
    app.page.goto(f"{app.site}example-of-docs.html")
    app.page.locator("html[data-seen]").wait_for(state="attached")  # the page is empty
    pairs = app.page.evaluate("JSON.parse(document.documentElement.dataset.seen)")
    assert [got for got, _ in pairs] == [told for _, told in pairs]
    assert pairs[0] == ["2", "2"]


class TestPicture:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"viewport": SIZE, "color_scheme": "light"}

    def test_picture(self, ready: App, shots: Path) -> None:
        """Shows what README shows. UPDATE_PICTURE=1 writes it anew."""
        ready.type(TEXT)
        ready.page.locator("#tokens [data-id]").nth(10).hover()
        ready.page.locator("#detail .tok").wait_for()
        shot = shots / "picture.png"
        ready.page.screenshot(path=shot)
        if os.environ.get("UPDATE_PICTURE"):
            PICTURE.write_bytes(shot.read_bytes())
        assert PICTURE.stat().st_size < 150_000
        width, height = struct.unpack(">II", PICTURE.read_bytes()[16:24])
        assert {"width": width, "height": height} == SIZE
