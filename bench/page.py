"""The page under load: keystrokes with 10,000 characters in the box, and a paste of 1 MB.

python -m bench.page [--quick] [--site DIR]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from bench import texts
from bench.browser import DIST, Site, arguments, open_site
from bench.memory import mixed
from bench.options import say
from bench.table import section, table
from pyodide_tok import Tokenizer

DEFAULT = "gpt-2"  # the vocabulary that the page starts with
KEYSTROKES = 100
LONGEST = "longest task of the main thread"
TARGETS = {"p95": 50, "first": 1500, "task": 100}  # milliseconds, at most
Seen = dict[str, Any]  # window.seen of WATCH
NOTE = """\
Milliseconds in Chromium, with the built-in vocabulary. Keystroke: from the key's own time to the
state "ready", which is set once the tokens are painted; {keys} keys all over 10,000 characters.
Paste: with the keyboard, in place of the sample text, to the first painted tokens and to the exact
count. Longest task: as PerformanceObserver tells it (it tells of none under 50)."""

# Notes when tokens are painted after an input, when the count is right, and the long tasks.
WATCH = """() => {
  const root = document.documentElement;
  const box = document.querySelector("#text");
  const seen = (window.seen = { keys: [], tasks: [] });
  let pressed = 0;
  const painted = (note) => requestAnimationFrame(() => setTimeout(note));
  box.addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
  document.addEventListener("paste", (event) => {
    Object.assign(seen, { pasted: event.timeStamp, first: 0, counted: 0 });
  }, true);
  new MutationObserver(() => {
    if (root.dataset.state !== "ready") return;
    if (pressed) seen.keys.push(performance.now() - pressed);
    pressed = 0;
  }).observe(root, { attributes: true, attributeFilter: ["data-state"] });
  new MutationObserver(() => {
    if (!seen.pasted || seen.first) return;
    seen.first = -1;
    painted(() => (seen.first = performance.now() - seen.pasted));
  }).observe(document.querySelector("#tokens"), { childList: true, subtree: true });
  new MutationObserver(() => {
    if (!seen.pasted || document.querySelector("#count").textContent !== seen.wanted) return;
    seen.counted ||= performance.now() - seen.pasted;
  }).observe(document.querySelector("#count"), { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    seen.tasks.push(...list.getEntries().map(({ duration }) => duration));
  }).observe({ type: "longtask" });
}"""
BARE = """() => {
  document.body.innerHTML =
    '<textarea id="text" rows="20" cols="80"></textarea><p id="count"><p id="tokens">';
  document.documentElement.dataset.state = "ready";
}"""
SET_TEXT = """(box, text) => {
  box.value = text;
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""


def report(quick: bool, directory: Path = DIST) -> str:
    with open_site(directory) as site:
        with opened(site) as page:
            keys = sorted(typed(page, KEYSTROKES // 5 if quick else KEYSTROKES))
        say(f"page: keys {[round(key) for key in keys]}")
        rows = [
            row("keystroke to painted tokens, median", keys[len(keys) // 2]),
            row("keystroke to painted tokens, 95th percentile", percentile(keys), TARGETS["p95"]),
        ]
        for name, text in pastes().items():
            with opened(site) as page:
                rows += paste_rows(name, pasted(page, text))
            with bare(site) as page:
                seen = paste(page, text)
            rows.append(row(f"the same, into a bare text box: {LONGEST}", longest(seen)))
    note = NOTE.format(keys=len(keys))
    return section("In the page", note, table(("what", "ms", "target", "reached"), rows))


def paste_rows(name: str, seen: Seen) -> list[list[str]]:
    say(f"page: {name} {seen}")
    what = f"paste of 1 MB, {name}"
    return [
        row(f"{what}: first painted tokens", seen["first"], TARGETS["first"]),
        row(f"{what}: exact count", seen["counted"]),
        row(f"{what}: {LONGEST}", longest(seen), TARGETS["task"]),
    ]


def longest(seen: Seen) -> float:
    return max(seen["tasks"], default=0)


def pastes() -> dict[str, str]:
    """1 MB each, with the line ends that a text box has."""
    english = texts.text("en") * 2
    given = {"English": english[:1_000_000], "all texts": mixed()}
    return {name: text.replace("\r", "") for name, text in given.items()}


def row(what: str, milliseconds: float, target: int | None = None) -> list[str]:
    if target is None:
        return [what, f"{milliseconds:.0f}", "", ""]
    over = milliseconds - target
    reached = f"no, {over:.0f} over" if over > 0 else "yes"
    return [what, f"{milliseconds:.0f}", f"<= {target}", reached]


def percentile(ordered: list[float]) -> float:
    return ordered[int(0.95 * (len(ordered) - 1))]


def typed(page: Page, count: int) -> list[float]:
    """The latency of each of `count` keys, pressed one after another all over the text."""
    box = page.locator("#text")
    text = texts.text("en")[:10_000]
    box.evaluate(SET_TEXT, text)
    page.wait_for_timeout(1000)
    wait_ready(page)
    box.focus()
    for i in range(count):
        at = i * len(text) // count
        box.evaluate("(box, at) => box.setSelectionRange(at, at)", at)
        page.keyboard.press("x")
        wait_keys(page, i + 1)
    keys: list[float] = page.evaluate("seen.keys")
    return keys


def pasted(page: Page, text: str) -> Seen:
    """The times of a paste in place of all that is in the box."""
    path = texts.vocab(DEFAULT)
    assert path is not None
    wanted = Tokenizer.from_gguf(path).count(text)
    page.evaluate("wanted => seen.wanted = wanted", f"{wanted:,}")
    seen = paste(page, text)
    if not seen.get("counted"):
        shown = page.locator("#count").inner_text()
        raise RuntimeError(f"after the paste the page counts {shown} tokens, not {wanted}")
    return seen


def paste(page: Page, text: str) -> Seen:
    """A real paste, with the keyboard, from the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("#text").focus()
    page.wait_for_timeout(300)
    page.evaluate("seen.tasks = []")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+V")
    page.wait_for_timeout(500)
    wait_ready(page)
    page.wait_for_timeout(500)  # the observers' turn
    seen: Seen = page.evaluate("seen")
    return seen


@contextmanager
def opened(site: Site) -> Iterator[Page]:
    """The page, ready and watched."""
    with site.page() as page:
        page.goto(site.url)
        wait_ready(page)
        page.evaluate(WATCH)
        yield page


@contextmanager
def bare(site: Site) -> Iterator[Page]:
    """A page with nothing but a text box: what the browser itself takes."""
    with site.page() as page:
        page.goto(f"{site.url}no-such-page")
        page.evaluate(BARE)
        page.evaluate(WATCH)
        yield page


def wait_ready(page: Page) -> None:
    page.locator("html[data-state=ready]").wait_for(timeout=60_000)


def wait_keys(page: Page, count: int) -> None:
    page.wait_for_function(f"() => seen.keys.length >= {count}", timeout=10_000)


def main() -> None:
    given = arguments(__doc__)
    print(report(given.quick, given.site))


if __name__ == "__main__":
    main()
