"""The first paint is the finished page: the site is built with the sample text's tokens in it."""

from __future__ import annotations

from playwright.sync_api import Browser

from e2e.app import App

SHOWN = ["tokens", "count", "lengths", "ratio", "size", "without", "chip-name", "chip-facts"]
READ = """ids => ids.map((id) => {
    const root = document.getElementById(id);
    const parts = [root, ...root.querySelectorAll("*")];
    return parts.map(({ localName, className, dir, hidden, dataset, textContent }) =>
        [id, localName, className, dir, hidden, { ...dataset }, textContent]);
})"""


def test_the_built_page_shows_what_the_live_one_does(app: App, browser: Browser) -> None:
    unscripted = browser.new_page(java_script_enabled=False)
    unscripted.goto(app.site)
    first = unscripted.evaluate(READ, SHOWN)
    unscripted.close()
    app.open()
    app.wait("ready")
    assert first == app.page.evaluate(READ, SHOWN)
    assert len(first[0]) > 50


def test_nothing_moves_when_the_live_tokens_come(app: App) -> None:
    app.page.add_init_script(
        """window.shifts = 0;
        new PerformanceObserver((list) => {
            for (const { value } of list.getEntries()) window.shifts += value;
        }).observe({ type: "layout-shift", buffered: true });"""
    )
    app.open()
    app.wait("ready")
    app.page.wait_for_timeout(300)
    assert app.page.evaluate("window.shifts") < 0.02


def test_a_text_of_the_address_is_not_shown_with_the_sample_s_tokens(app: App) -> None:
    app.page.context.route("**/pyodide.asm.wasm", lambda route: None)  # never answered
    app.page.goto(f"{app.site}#see?text=Hello")
    app.page.locator("#status", has_text="Loading Python").wait_for()
    assert app.page.locator("#tokens").inner_text() == ""
    assert app.page.locator("#count").inner_text() == "–"
    app.page.context.unroute_all(behavior="ignoreErrors")
