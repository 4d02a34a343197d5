"""A vocabulary made to do harm: shown visibly and harmlessly in every view."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.app import App
from e2e.looks import VIEWS, open_view
from tests.gguf_writer import ARRAY, FLOAT32, INT32, STRING, UINT32, Entry, write

MARKUP = "<img src=x onerror=owned()><script>owned()</script><style>*{display:none}</style>"
HOSTILE = {
    "markup": MARKUP,
    "an attribute": "\" onfocus='owned()' autofocus x=\"",
    "an entity": "&lt;b&gt;&#x202e;",
    "a bidirectional override": "\u202egpj.exe\u202c",
    "isolates": "\u2067abc\u2069",
    "terminal codes": "\x1b[2J\x1b]0;owned\x07",
    "zero width": "a\u200bb\ufeff\u200d",
    "tags": "\U000e0041\U000e0042",
    "a filler": "\u3164",
    "controls": "\x00\x01\x7f\x85",
    "marks without end": "e" + "\u0301" * 2000,
    "1 MB": "x" * 1_000_000,
}
HIDDEN = (
    "[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
TEMPLATE = MARKUP + "{{ messages[0].content }}{{ ''.constructor.constructor('owned()')() }}"


def hostile_file(path: Path) -> Path:
    tokens = ["<unk>", "<s>", "</s>", *HOSTILE.values(), *"abcdefgh", "▁"]
    types = [2, 3, 3] + [4, 1] * len(tokens)  # user-defined and normal ones in turns
    entries = [
        Entry("general.architecture", STRING, MARKUP),
        Entry("general.name", STRING, f"{MARKUP}\u202e\x1b[0m"),
        Entry("tokenizer.ggml.model", STRING, "llama"),
        Entry("tokenizer.ggml.pre", STRING, MARKUP),
        Entry("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        Entry("tokenizer.ggml.scores", ARRAY, (FLOAT32, [-float(i) for i in range(len(tokens))])),
        Entry("tokenizer.ggml.token_type", ARRAY, (INT32, types[: len(tokens)])),
        Entry("tokenizer.ggml.bos_token_id", UINT32, 1),
        Entry("tokenizer.chat_template", STRING, TEMPLATE),
    ]
    path.write_bytes(write(entries))
    return path


@pytest.fixture
def hostile(ready: App, tmp_path: Path) -> App:
    ready.page.evaluate("void (window.owned = () => { window.isOwned = true })")
    ready.choose_file(hostile_file(tmp_path / "<b>hostile&lt;.gguf"))
    ready.type("".join(text for text in HOSTILE.values() if len(text) < 3000))
    return ready


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_harmless(hostile: App, view: str) -> None:
    before = elements(hostile)
    open_view(hostile, view)
    hostile.page.wait_for_timeout(1500)
    hostile.wait("ready")
    assert elements(hostile) == before == (0, 0)
    assert not hostile.page.evaluate("'isOwned' in window")
    shown = hostile.page.evaluate(f"document.body.innerText.match(/{HIDDEN}/g)?.map(escape)")
    assert not shown
    assert len(hostile.page.evaluate("document.body.innerText")) < 500_000


def elements(app: App) -> tuple[int, int]:
    """Elements and attributes that only the file can have made."""
    found = "img, style, body script, [onerror], [onfocus]"
    return app.page.locator(found).count(), app.page.locator("[autofocus]").count()


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "1 MB"])
def test_each_token_is_one_and_visible(hostile: App, name: str) -> None:
    hostile.switch("add-special", False)
    hostile.type(HOSTILE[name])
    assert hostile.tokens(), name
    assert all(token.text for token in hostile.tokens())


def test_a_token_of_a_megabyte_does_not_fill_the_page(hostile: App) -> None:
    hostile.page.evaluate("location.hash = 'vocab'")
    hostile.page.locator("#query").fill("xxxx")
    row = hostile.page.locator("#found-rows tr").first
    row.wait_for()
    assert row.bounding_box()["height"] < 500  # type: ignore[index]
    assert len(row.inner_text()) < 5000


def test_the_chat_template_reaches_nothing(hostile: App) -> None:
    hostile.page.evaluate("location.hash = 'chat'")
    hostile.page.locator("#messages textarea").first.fill("hello")
    hostile.page.wait_for_timeout(1500)
    assert not hostile.page.evaluate("'isOwned' in window")
    assert hostile.page.locator("#chat-notes li, #chat-tokens [data-id]").count()
