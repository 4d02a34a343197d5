"""The Compare view."""

from __future__ import annotations

from e2e.app import App
from e2e.looks import open_view

READ = "tokens => tokens.map(t => +t.dataset.id)"


def ids(app: App, nth: int) -> list[int]:
    column = app.page.locator("#compare .column").nth(nth)
    return list(column.locator(".tokens [data-id]").evaluate_all(READ))


def test_two_models_side_by_side(ready: App) -> None:
    ready.type("Hello 1234 world")
    open_view(ready, "compare")
    counts = ready.page.locator("#compare output")
    counts.nth(1).filter(has_text="8").wait_for()
    assert counts.nth(0).inner_text() == str(ready.count()) == str(len(ids(ready, 0)))
    assert ids(ready, 0) == [15496, 1105, 2682, 995]
    assert ids(ready, 1)[:2] == [1, 22557]
    digits = ready.page.locator("#compare .column").nth(1).locator(".differs")
    assert digits.all_inner_texts() == ["1", "2", "4"]  # "3" begins a token in both
    ready.page.locator("#text").fill("Hello")
    counts.nth(1).filter(has_text="2").wait_for()
    assert ids(ready, 0) == [15496] and ids(ready, 1) == [1, 22557]


def test_columns_come_and_go_and_change(ready: App) -> None:
    ready.type("Hello world")
    open_view(ready, "compare")
    columns = ready.page.locator("#compare .column")
    columns.nth(1).locator(".tokens [data-id]").first.wait_for()
    add = ready.page.locator("#add-column")
    add.click()
    add.click()
    columns.nth(3).locator(".tokens [data-id]").first.wait_for()
    assert add.is_disabled()
    columns.nth(3).get_by_role("button", name="Remove").click()
    assert columns.count() == 3 and not add.is_disabled()
    columns.nth(2).locator(".which").select_option("mistral-v1")
    columns.nth(2).locator("[data-id='1']").wait_for()
    assert ids(ready, 2) == ids(ready, 1)


def test_columns_scroll_together(ready: App) -> None:
    ready.type("The quick brown fox, 1234 times.\n" * 400)
    open_view(ready, "compare")
    boxes = ready.page.locator("#compare .tokens")
    boxes.nth(1).locator("[data-id]").first.wait_for()
    boxes.nth(0).evaluate("box => box.scrollTo(0, box.scrollHeight / 2)")
    for _ in range(50):
        if boxes.nth(1).evaluate("box => box.scrollTop") > 1000:
            return
        ready.page.wait_for_timeout(100)
    raise AssertionError("the other column did not follow")
