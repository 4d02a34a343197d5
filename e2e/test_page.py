"""What a person sees: tokens, counts, switches, views."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from e2e.app import App
from e2e.looks import EveryLook, picture

WOMAN_ASTRONAUT = "👩‍🚀"


def test_default_vocabulary_colours_the_sample_text(ready: App) -> None:
    text = ready.page.locator("#text").input_value()
    tokens = ready.tokens()
    assert ready.count() == len(tokens) > 50
    assert [tokens[0].text, tokens[1].text] == ["Tokens", " are"]
    assert tokens[0].id == 22906
    assert tokens[-1].end == len(text.encode("utf-16-le")) // 2
    colours = ready.page.locator("#tokens [data-id]").evaluate_all(
        "tokens => tokens.map(t => getComputedStyle(t).backgroundColor)"
    )
    neighbours = zip(tokens, pairwise(colours), strict=False)
    assert all(a != b for token, (a, b) in neighbours if not token.text.endswith("\n"))
    assert ready.page.locator("#chip-facts").inner_text() == "BPE · 50,257 tokens · gpt-2"


def test_marks_say_when_it_was_ready(ready: App) -> None:
    marks = dict(
        ready.page.evaluate("performance.getEntriesByType('mark').map(m => [m.name, m.startTime])")
    )
    assert 0 < marks["tok:ready"] <= marks["tok:shown"]
    assert any("started from the snapshot" in line for line in ready.console)


def test_it_says_what_it_is_doing_while_it_starts(app: App) -> None:
    app.page.context.route("**/pyodide.asm.wasm", lambda route: None)  # never answered
    app.open()
    app.page.locator("#status", has_text="Loading Python: 100 %").wait_for()
    app.wait("starting")
    app.page.context.unroute_all(behavior="ignoreErrors")


def test_tokens_follow_the_typing(ready: App) -> None:
    box = ready.page.locator("#text")
    box.fill("")
    ready.wait("ready")
    assert ready.count() == 0
    box.press_sequentially("Hello world")
    ready.wait("ready")
    assert ready.ids() == [15496, 995]


def test_text_typed_before_the_start_is_kept(app: App) -> None:
    app.open()
    app.page.locator("#text").fill("Hello world")
    app.wait("ready")
    assert app.ids() == [15496, 995]


def test_a_split_character_is_one_group(ready: App) -> None:
    ready.type(f"a {WOMAN_ASTRONAUT} 好!")
    group = ready.page.locator("#tokens .group")
    assert "👩" in group.first.inner_text()
    assert "F0 9F 91" in group.first.inner_text()
    assert "�" not in ready.page.locator("#tokens").inner_text()
    assert ready.tokens()[-1].end == 10


def test_offsets_are_utf16_and_survive_lone_surrogates(ready: App) -> None:
    text = "a\ud800b🙂c\udc00"
    ready.type(text)
    units = text.encode("utf-16-le", "surrogatepass")
    tokens = ready.tokens()
    assert tokens[-1].end == len(units) // 2 == 7
    for token in tokens:
        if token.text in ("a", "b", "c"):
            part = units[2 * token.start : 2 * token.end]
            assert part.decode("utf-16-le") == token.text
    assert "�" not in ready.page.locator("#tokens").inner_text()


def test_switches(ready: App) -> None:
    ready.type("<|endoftext|>")
    assert ready.count() > 1
    ready.switch("parse-special", True)
    assert ready.ids() == [50256]
    ready.use("mistral-v1")
    ready.wait("ready")
    ready.type("Hi")
    assert ready.ids()[0] == 1 and ready.tokens()[0].text == "<s>"
    ready.switch("add-special", False)
    assert 1 not in ready.ids()


def test_whitespace_and_ids_views(ready: App) -> None:
    ready.type("a b\n\n\tc")
    ready.page.locator("#whitespace").check()
    shown = ready.page.locator("#tokens").inner_text()
    assert "·b" in shown and "↵" in shown and "→" in shown
    ready.page.locator("input[value=ids]").check(force=True)
    assert [int(token.text) for token in ready.tokens()] == ready.ids()


def test_hidden_characters_are_shown_by_name(ready: App) -> None:
    ready.type("a\u202eb\u200bc\x1b[0m")
    shown = ready.page.locator("#tokens").inner_text()
    assert "\u202e" not in shown and "\u200b" not in shown and "\x1b" not in shown


def test_markup_is_text(ready: App) -> None:
    text = "<img src=x onerror=alert(1)><b>bold</b>"
    ready.type(text)
    assert "".join(token.text for token in ready.tokens()) == text
    assert ready.page.locator("#tokens img, #tokens b").count() == 0


def test_a_megabyte_is_shown_in_part_and_counted_whole(ready: App) -> None:
    line = "The quick brown fox jumps over the lazy dog, 1234 times.\n"
    ready.type(line)
    each = ready.count()
    ready.type(line * 18_000)
    assert ready.count() == 18_000 * each
    assert len(ready.tokens()) < 20_000
    ready.page.locator("#tokens").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    ready.page.locator(f"#tokens [data-end='{len(line) * 18_000}']").wait_for()


class TestLook(EveryLook):
    """Screenshots to look at, in e2e/shots."""

    def test_look(self, ready: App, shots: Path, size: str, scheme: str, tmp_path: Path) -> None:
        picture(ready, shots / f"{size}-{scheme}.png", size == "phone")
        ready.page.locator("input[value=ids]").check(force=True)
        ready.page.screenshot(path=shots / f"{size}-{scheme}-ids.png")
        (tmp_path / "no-model.gguf").write_bytes(b"PK\x03\x04 not a model")
        ready.choose_file(tmp_path / "no-model.gguf", "error")
        ready.page.screenshot(path=shots / f"{size}-{scheme}-error.png")
