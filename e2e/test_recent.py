"""Models that were used last are remembered: files by their handles, and addresses."""

from __future__ import annotations

from e2e.app import App
from e2e.browsers import chromium_only
from e2e.test_address import allowed, host, read_from
from e2e.test_models import DROP

__all__ = ["allowed", "host"]  # fixtures

# A file of the origin's own file system has a handle like any other, and no person to ask.
PICK = """async (address) => {
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle("mine.gguf", { create: true });
    const writable = await handle.createWritable();
    await writable.write(await (await fetch(address)).arrayBuffer());
    await writable.close();
    window.showOpenFilePicker = async () => [handle];
    document.getElementById("model-file").click();
}"""
REMOVE = "async () => (await navigator.storage.getDirectory()).removeEntry('mine.gguf')"
HANDLES = "Firefox gives no handles, by which files could be read on another visit"
KEPT = """async () => {
    const done = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const database = await done(indexedDB.open("pyodide_tok"));
    const names = async () => {
        const models = database.transaction("models").objectStore("models");
        return (await done(models.getAll())).map(({ name }) => name);
    };
    while (!(await names()).length) await new Promise((done) => setTimeout(done, 50));
    const kept = await names();
    database.close();
    return kept;
}"""


def next_visit(app: App) -> App:
    """The page in another tab, which knows nothing of the first one's session."""
    visit = App(app.page.context.new_page(), app.site, app.console)
    visit.open()
    visit.wait("ready")
    return visit


def chosen(app: App) -> str:
    return app.model()


@chromium_only(HANDLES)
def test_a_file_is_there_on_the_next_visit(ready: App) -> None:
    ready.page.evaluate(PICK, "samples/mistral-v1.gguf")
    ready.page.locator("#chip", has_text="SPM").wait_for()
    assert ready.page.evaluate(KEPT) == ["mine.gguf"]
    assert chosen(next_visit(ready)) == "mine.gguf"
    ready.page.reload()
    ready.wait("ready")
    assert chosen(ready) == "mine.gguf"
    ready.type("Hi")
    assert ready.ids()[0] == 1
    ready.use("gpt-2")
    ready.page.locator("#chip", has_text="BPE").wait_for()
    ready.page.reload()
    ready.wait("ready")
    assert chosen(ready) == "GPT-2"
    ready.use("mine.gguf")
    ready.page.locator("#chip", has_text="SPM").wait_for()


@chromium_only(HANDLES)
def test_a_file_that_is_gone_does_not_stop_the_page(ready: App) -> None:
    ready.page.evaluate(PICK, "samples/mistral-v1.gguf")
    ready.page.locator("#chip", has_text="SPM").wait_for()
    ready.page.evaluate(KEPT)
    ready.page.evaluate(REMOVE)
    visit = next_visit(ready)
    assert chosen(visit) == "GPT-2"
    visit.use("mine.gguf")
    visit.wait("error")
    assert "moved or removed" in visit.alert()
    assert chosen(visit) == "GPT-2"
    ready.page.reload()  # the tab in which it was used asks for it
    ready.wait("waiting")
    assert ready.page.locator("#missing-name").inner_text() == chosen(ready) == "mine.gguf"
    assert ready.tokens() == []
    ready.use("gpt-2")
    ready.wait("ready")
    assert ready.page.locator("#missing").is_hidden()


def test_an_address_is_listed_but_not_asked(ready: App, host: str) -> None:
    read_from(ready, f"{host}range/mistral.gguf", "ready")
    assert ready.page.evaluate(KEPT) == ["mistral.gguf"]
    asked: list[str] = []
    ready.page.context.on("request", lambda request: asked.append(request.url))
    visit = next_visit(ready)
    assert chosen(visit) == "GPT-2"
    assert not [url for url in asked if url.startswith(host)]
    visit.use("mistral.gguf")
    visit.page.locator("#chip", has_text="SPM").wait_for()
    ready.page.reload()  # the tab in which it was used keeps it
    ready.wait("ready")
    assert chosen(ready) == "mistral.gguf"


def test_an_address_that_may_hold_a_token_is_not_kept(ready: App, host: str) -> None:
    read_from(ready, f"{host}range/mistral.gguf?token=secret", "ready")
    ready.page.locator("#chip-open").click()
    ready.page.locator("#url").fill(f"{host}range/other.gguf")
    ready.page.locator("#from-url button").click()
    ready.page.locator("#chip-name", has_text="other.gguf").wait_for()
    assert ready.page.evaluate(KEPT) == ["other.gguf"]


@chromium_only(HANDLES)
def test_a_file_that_is_dropped_at_once_goes_before_what_is_remembered(ready: App) -> None:
    ready.page.evaluate(PICK, "samples/mistral-v1.gguf")
    ready.page.locator("#chip", has_text="SPM").wait_for()
    ready.page.evaluate(KEPT)
    held = []
    ready.page.context.route("**/lazy-recent-*.js", lambda route: held.append(route))
    ready.page.reload()
    while not held:
        ready.page.wait_for_timeout(50)
    ready.page.evaluate(DROP, ["mine.gguf", "samples/bert-bge.gguf"])
    ready.page.locator("#chip", has_text="WPM").wait_for()
    held[0].continue_()
    ready.page.evaluate(KEPT)
    ready.page.wait_for_timeout(500)
    ready.wait("ready")
    assert "WPM" in ready.page.locator("#chip").inner_text()
