"""The Chat view: templates rendered apart from the page, and their tokens."""

from __future__ import annotations

from e2e.app import App
from e2e.test_vocabulary import open_view

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


def write_template(app: App, template: str) -> None:
    app.page.locator("#view-chat summary").click()
    app.page.locator("#chat-template").fill(template)


def shown(app: App) -> str:
    return app.page.locator("#chat-tokens").inner_text()


def test_a_file_without_template_says_so_and_takes_one(ready: App) -> None:
    ready.page.locator("#vocabulary").select_option("mistral-v1")
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
    ready.page.locator("#messages button").first.click()
    ready.page.locator("#chat-tokens", has_not_text="<b>").wait_for()
    assert "[assistant] A piece" in shown(ready)
    ready.page.locator("#chat-to-text").click()
    assert ready.page.locator("#text").input_value().startswith("<s>[assistant] A piece")


def test_a_wrong_or_endless_template_is_told_of(ready: App) -> None:
    open_view(ready, "chat")
    notes = ready.page.locator("#chat-notes")
    notes.filter(has_text="no chat template").wait_for()
    write_template(ready, "{% for m in messages %}")
    notes.filter(has_text="cannot be used").wait_for()
    loop = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}"
    ready.page.locator("#chat-template").fill(loop)
    notes.filter(has_text="takes over").or_(notes.filter(has_text="too long")).wait_for()
    ready.page.locator("#chat-template").fill("{{ messages[0].content }}")
    ready.page.locator("#chat-tokens", has_text="What is a token?").wait_for()
