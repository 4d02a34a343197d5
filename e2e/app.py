"""The page as a person uses it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

READ_TOKENS = """tokens => tokens.map(t => ({
    id: +t.dataset.id, start: +t.dataset.start, end: +t.dataset.end, text: t.textContent}))"""

SET_TEXT = """(box, escaped) => {
    box.value = JSON.parse(escaped);
    box.dispatchEvent(new InputEvent("input", {bubbles: true}));
}"""


@dataclass(slots=True)
class Token:
    id: int
    start: int
    end: int
    text: str


@dataclass(slots=True)
class App:
    page: Page
    site: str
    console: list[str]

    def open(self) -> None:
        self.page.goto(self.site)

    def wait(self, state: str, seconds: float = 30) -> None:
        self.page.locator(f"html[data-state={state}]").wait_for(timeout=seconds * 1000)

    def type(self, text: str) -> None:
        """Put `text` into the box and wait for its tokens. Lone surrogates arrive as they are."""
        escaped = json.dumps(text)  # for the browser's own protocol would not let them through
        self.page.locator("#text").evaluate(SET_TEXT, escaped)
        self.wait("ready")

    def use(self, name: str) -> None:
        """Choose a model in the dialog, by its key or by the name that it is listed under."""
        self.page.locator("#chip-open").click()
        keyed = f'#chooser [data-key="{name}"], #chooser [data-name="{name}"]'
        self.page.locator(keyed).first.click()

    def model(self) -> str:
        """The name of the model in use."""
        return self.page.locator("#chip-name").inner_text()

    def choose_file(self, path: Path, state: str = "ready") -> None:
        self.page.locator("#model-file").set_input_files(path)
        self.wait(state)

    def switch(self, box: str, on: bool) -> None:
        """Set a switch, and wait for the tokens."""
        self.page.locator(f"#{box}").set_checked(on)
        self.wait("ready")

    def count(self) -> int:
        return int(self.page.locator("#count").inner_text().replace(",", ""))

    def tokens(self) -> list[Token]:
        found = self.page.locator("#tokens [data-id]").evaluate_all(READ_TOKENS)
        return [Token(**token) for token in found]

    def ids(self) -> list[int]:
        return [token.id for token in self.tokens()]

    def alert(self) -> str:
        return self.page.locator("#alert").inner_text()
