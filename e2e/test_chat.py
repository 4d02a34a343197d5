"""The Chat view: templates rendered apart from the page, and their tokens."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from e2e.app import App
from e2e.looks import open_view
from e2e.test_faults import with_worker
from pyodide_tok import Tokenizer
from tests.gguf_writer import STRING, Writer
from tests.reference import SAMPLES

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


def write_template(app: App, template: str) -> None:
    app.page.locator("#view-chat summary", has_text="template").click()
    app.page.locator("#chat-template").fill(template)


def shown(app: App) -> str:
    return app.page.locator("#chat-tokens").inner_text()


def test_a_file_without_template_says_so_and_takes_one(ready: App) -> None:
    ready.use("mistral-v1")
    ready.wait("ready")
    open_view(ready, "chat")
    notes = ready.page.locator("#chat-notes")
    notes.filter(has_text="no chat template").wait_for()
    write_template(ready, TEMPLATE)
    notes.filter(has_text="BOS of its own").wait_for()
    assert ready.page.locator("#chat-tokens [data-id]").first.get_attribute("data-id") == "1"
    assert "What is a token?" in shown(ready) and shown(ready).rstrip().endswith("[assistant]")
    ready.page.locator("#generation-prompt").uncheck()
    ready.page.locator("#chat-tokens", has_text="in this chat?↵").wait_for()
    ready.page.locator("#messages textarea").first.fill("<b>Hi</b>")
    ready.page.locator("#chat-tokens", has_text="<b>Hi</b>").wait_for()
    ready.page.get_by_label("Remove message 1").click()
    ready.page.locator("#chat-tokens", has_not_text="<b>").wait_for()
    assert "[assistant] A piece" in shown(ready)
    ready.page.locator("#chat-to-text").click()
    assert ready.page.locator("#text").input_value().startswith("<s>[assistant] A piece")


def test_a_wrong_or_endless_template_is_told_of(ready: App) -> None:
    open_view(ready, "chat")
    notes = ready.page.locator("#chat-notes")
    notes.filter(has_text="no chat template").wait_for()
    write_template(ready, "{% for m in messages %}")
    notes.filter(has_text="fails in the page's renderer").wait_for()
    loop = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}"
    ready.page.locator("#chat-template").fill(loop)
    notes.filter(has_text="takes over").or_(notes.filter(has_text="too long")).wait_for()
    ready.page.locator("#chat-template").fill("{{ messages[0].content }}")
    ready.page.locator("#chat-tokens", has_text="What is a token?").wait_for()


def test_stop_ends_a_template_that_never_ends(ready: App) -> None:
    open_view(ready, "chat")
    notes = ready.page.locator("#chat-notes")
    notes.filter(has_text="no chat template").wait_for()
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    write_template(ready, loop)
    ready.page.locator("#stop").click()
    notes.filter(has_text="You stopped the chat template").wait_for()
    ready.wait("ready")  # the tokenizer was not restarted
    ready.page.locator("#chat-template").fill("{{ messages[0].content }}")
    ready.page.locator("#chat-tokens", has_text="What is a token?").wait_for()
    assert ready.page.locator("#stop").is_hidden()


def test_a_note_where_another_renderer_may_differ(ready: App) -> None:
    open_view(ready, "chat")
    write_template(ready, "{{ messages[0].content.lstrip('\\n') }}")
    ready.page.locator("#chat-tokens", has_text="What is a token?").wait_for()
    notes = ready.page.locator("#chat-notes", has_text="render_chat may return a different text")
    assert not notes.count()
    ready.page.locator("#messages textarea").first.fill(" padded")
    notes.wait_for()
    write_template_again(ready, "{{ raise_exception('No more') }}")
    ready.page.locator("#chat-notes", has_text="rejects these messages: No more").wait_for()


IDS = "tokens => tokens.map(token => +token.dataset.id)"


NOTES = {  # vocabulary: what is said of its template
    "mistral-v1": "no chat template",
    "bert-bge": "no chat template",
    "t5": "no chat template",
    "rwkv": "only a name, “rwkv-world”",
}


@pytest.mark.parametrize("name", NOTES)
def test_every_family_has_the_tokens_of_the_package(ready: App, name: str) -> None:
    ready.use(name)
    ready.wait("ready")
    open_view(ready, "chat")
    ready.page.locator("#chat-notes", has_text=NOTES[name]).wait_for()
    write_template(ready, TEMPLATE)
    own = ready.page.locator("#chat-tokens", has_not_text="|")  # which only ChatML has
    own.locator("[data-id]").nth(30).wait_for()
    tok = Tokenizer.from_gguf(SAMPLES / f"{name}.gguf")
    bos = tok.id_to_token(tok.special_ids["bos"]) if "bos" in tok.special_ids else ""
    text = (
        f"{bos}[user] What is a token?\n[assistant] A piece of text that a model reads as one.\n"
        "[user] How many are in this chat?\n[assistant]"
    )
    found = ready.page.locator("#chat-tokens [data-id]").evaluate_all(IDS)
    assert found == tok.encode(text, add_special=False, parse_special=True)


def with_templates(gguf: bytes, templates: dict[str, str]) -> bytes:
    """A GGUF file of version 3 with some more templates, by the ends of their keys."""
    writer = Writer()
    entries = b"".join(
        writer.string(f"tokenizer.chat_template{end}")
        + struct.pack("<I", STRING)
        + writer.string(text)
        for end, text in templates.items()
    )
    count = struct.unpack_from("<Q", gguf, 16)[0] + len(templates)
    return gguf[:16] + struct.pack("<Q", count) + entries + gguf[24:]


@pytest.fixture
def named(tmp_path: Path) -> Path:
    templates = {
        "": "plain {{ messages[0].content }}",
        ".rag": "rag {{ messages[0].content }}",
        ".tool_use": "{% for t in tools %}<{{ t.name }}>{% endfor %}",
    }
    path = tmp_path / "named.gguf"
    path.write_bytes(with_templates((SAMPLES / "mistral-v1.gguf").read_bytes(), templates))
    return path


def test_named_templates_and_tools(ready: App, named: Path) -> None:
    ready.choose_file(named)
    open_view(ready, "chat")
    ready.page.locator("#chat-tokens", has_text="plain What is").wait_for()
    choice = ready.page.locator("#chat-named")
    assert choice.locator("option").all_inner_texts() == ["default", "rag", "tool_use"]
    choice.select_option("rag")
    ready.page.locator("#chat-tokens", has_text="rag What is").wait_for()
    choice.select_option("tool_use")
    ready.page.locator("#view-chat summary", has_text="Tools").click()
    ready.page.locator("#chat-tools").fill(json.dumps([{"name": "weather"}]))
    ready.page.locator("#chat-tokens", has_text="<weather>").wait_for()
    ready.page.locator("#chat-tools").fill("{")
    ready.page.locator("#chat-notes", has_text="not a JSON list").wait_for()


def test_nothing_of_a_view_acts_before_its_script_is_there(ready: App) -> None:
    """A click then would be lost, and a form would be submitted by the browser."""
    release = []
    ready.page.context.route("**/lazy-files-*.js", lambda route: release.append(route))
    ready.page.locator("#tabs a[href='#files']").click()
    while not release:
        ready.page.wait_for_timeout(50)
    box = ready.page.locator("#split-go").bounding_box()
    assert box
    ready.page.mouse.click(box["x"] + 5, box["y"] + 5)
    assert ready.page.url.endswith("#files")
    assert ready.page.locator("#view-files").evaluate("view => view.inert")
    release[0].continue_()
    ready.page.locator("#split-size").fill("5000")
    ready.page.locator("#split-go").click()
    ready.page.locator("#split-says", has_text="nothing to split").wait_for()


def test_a_template_of_ones_own_stays(ready: App) -> None:
    open_view(ready, "chat")
    write_template(ready, "own {{ messages[0].content }}")
    ready.page.locator("#chat-tokens", has_text="own What is a token?").wait_for()
    ready.use("mistral-v1")
    ready.page.locator("#chip", has_text="SPM").wait_for()
    ready.page.reload()
    ready.page.locator("#chat-tokens", has_text="own What is a token?").wait_for()
    assert ready.page.locator("#chat-template").input_value().startswith("own")


def test_the_text_is_never_replaced_by_nothing(ready: App) -> None:
    ready.type("my own text")
    open_view(ready, "chat")
    to_text = ready.page.locator("#chat-to-text")
    ready.page.locator("#chat-tokens", has_text="<|im_start|>").wait_for()
    write_template(ready, "{{ messages[0].content }}!")
    ready.page.locator("#chat-tokens", has_text="What is a token?!").wait_for()
    held = []
    ready.page.context.route("**/chat-worker.js", lambda route: held.append(route), times=1)
    ready.page.locator("#messages textarea").first.fill("Another")
    while not held:
        ready.page.wait_for_timeout(50)
    to_text.click()  # what is shown, for the other is not there yet
    assert ready.page.locator("#text").input_value() == "What is a token?!"
    held[0].continue_()
    open_view(ready, "chat")
    ready.page.locator("#chat-tokens", has_text="Another!").wait_for()
    write_template_again(ready, "{% broken")
    ready.page.locator("#chat-notes", has_text="fails in the page's renderer").wait_for()
    assert to_text.is_disabled()


def write_template_again(app: App, template: str) -> None:
    app.page.locator("#chat-template").fill(template)


FAILS = """
self.addEventListener("message", (event) => {
  const { id, params } = event.data;
  if (params?.text !== "fail") return;
  event.stopImmediatePropagation();
  self.postMessage({ id, error: { code: "memory", message: "There is not enough memory." } });
});
"""


def test_what_goes_wrong_in_a_view_is_said(app: App) -> None:
    with_worker(app, FAILS)
    open_view(app, "chat")
    write_template(app, "{{ messages[0].content }}")
    app.page.locator("#chat-tokens", has_text="What is a token?").wait_for()
    app.page.locator("#messages textarea").first.fill("fail")
    app.wait("error")
    assert "not enough memory" in app.alert()
    app.page.locator("#messages textarea").first.fill("works")
    app.page.locator("#chat-tokens", has_text="works").wait_for()


def test_use_as_text_keeps_the_count(ready: App) -> None:
    ready.use("qwen2")
    ready.page.locator("#chip", has_text="151,936").wait_for()
    open_view(ready, "chat")
    ready.page.locator("#chat-tokens [data-id]").first.wait_for()
    count = ready.page.locator("#chat-count").inner_text()
    ready.page.locator("#chat-to-text").click()
    ready.page.locator("#view-see").wait_for()
    ready.wait("ready")
    assert str(ready.count()) == count
    assert ready.page.locator("#parse-special").is_checked()
    assert not ready.page.locator("#add-special").is_checked()


def test_messages_move_and_show_their_tokens(ready: App) -> None:
    open_view(ready, "chat")
    shares = ready.page.locator("#chat-shares li")
    shares.nth(3).wait_for()
    assert shares.all_inner_texts()[0].split("\n") == ["5", "1 user"]
    ready.page.get_by_label("Move up message 2").click()
    assert ready.page.get_by_label("Role of message 1").input_value() == "assistant"
    ready.page.locator("#chat-shares li", has_text="1 assistant").wait_for()
    assert ready.page.get_by_label("Move up message 1").is_disabled()
