"""The documentation: examples that run, links that lead somewhere, words for all that is public."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import pyodide_tok
from pyodide_tok import errors
from pyodide_tok.batch import Batch
from pyodide_tok.chat.templates import ChatTemplates
from pyodide_tok.cli.main import main
from pyodide_tok.decoding import StreamDecoder
from pyodide_tok.explain.trace import Trace

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TEXTS = sorted([*PAGES, *ROOT.glob("*.md"), *ROOT.glob("tests/*/*.md"), *ROOT.glob("web/*/*.md")])
NEEDS = {"python.md": "numpy"}

pytestmark = pytest.mark.skipif(not PAGES, reason="docs/ is not part of a source distribution")
pages = pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.stem)
texts = pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))


def blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


# -- examples -----------------------------------------------------------------------------


@pages
def test_python_examples(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a page's are one session, at the root of the repository."""
    examples = "\n".join(blocks(path, "pycon"))
    if examples and path.name in NEEDS:
        pytest.importorskip(NEEDS[path.name])
    monkeypatch.chdir(ROOT)
    session = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    said: list[str] = []
    failed = doctest.DocTestRunner().run(session, out=said.append).failed
    assert not failed, "".join(said)


@pages
def test_commands(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    for block in blocks(path, "console"):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, told = command.partition("\n")
            program, *arguments = shlex.split(line)
            assert program == "pyodide-tok"
            assert main(arguments) == 0
            shown = capsys.readouterr().out.splitlines()
            assert [row.rstrip() for row in shown] == told.splitlines(), line


def test_examples_are_found() -> None:
    found = [len(blocks(path, language)) for path in PAGES for language in ("pycon", "console")]
    assert sum(found) > 30


# -- links --------------------------------------------------------------------------------


class Links(HTMLParser):
    """What a page links to, and the anchors that it has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.anchors |= {given["id"]} if "id" in given else set()


@cache
def rendered(path: Path) -> Links:
    """A Markdown file's links and, by GitHub's rule, its anchors."""
    markdown = pytest.importorskip("markdown")
    text = path.read_text("utf-8")
    page = Links(markdown.markdown(text, extensions=["tables", "fenced_code"]))
    plain = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)", plain, re.MULTILINE)
    page.anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return page


def is_external(link: str) -> bool:
    return bool(urlsplit(link).scheme)


@texts
def test_links_of_texts(path: Path) -> None:
    for link in filter(lambda link: not is_external(link), rendered(path).links):
        parts = urlsplit(link)
        target = (path.parent / unquote(parts.path)) if parts.path else path
        assert target.exists(), link
        if parts.fragment:
            assert unquote(parts.fragment) in rendered(target.resolve()).anchors, link


@texts
def test_links_to_elsewhere_are_well_formed(path: Path) -> None:
    for link in filter(is_external, rendered(path).links):
        parts = urlsplit(link)
        assert parts.scheme == "https" and "." in parts.netloc and " " not in link, link


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation as the site has it: beside the page."""
    pytest.importorskip("mkdocs")
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "web", site, dirs_exist_ok=True)
    if not (ROOT / "node_modules" / "esbuild").is_dir():
        pytest.skip("esbuild is not installed: `npm ci` installs it")
    docs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site / "docs")]
    for build in (docs, ["node", "tools/bundle.mjs", str(ROOT / "web"), str(site)]):
        done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return site


def html_of(site: Path) -> dict[Path, Links]:
    return {path: Links(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def test_links_of_the_site(site: Path) -> None:
    built = html_of(site)
    assert {path.stem for path in PAGES} == {p.stem for p in built if p.parent == site / "docs"}
    for path, page in built.items():
        for link in filter(lambda link: not is_external(link), page.links):
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {link}"
            if parts.fragment and target != site / "index.html":  # whose fragments are its views
                assert unquote(parts.fragment) in built[target].anchors, f"{path.name}: {link}"


def test_every_page_is_in_the_list_of_pages(site: Path) -> None:
    home = html_of(site)[site / "docs" / "index.html"]
    assert {f"{path.stem}.html" for path in PAGES} <= set(home.links)


def test_the_site_has_no_script_and_no_style_of_its_own(site: Path) -> None:
    """The host's policy allows neither inline; and nothing is loaded from elsewhere."""
    for path in sorted((site / "docs").glob("*.html")):
        html = path.read_text("utf-8")
        assert not re.search(r"<script|<style|<iframe|\sstyle=|\son\w+=", html), path.name
        assert not re.search(r"<(?:link|img)[^>]*(?:href|src)=\"(?:https?:)?//", html), path.name


# -- what is written down twice -----------------------------------------------------------


def test_headers_are_those_of_our_server() -> None:
    from tools.serve import HEADERS

    told = (ROOT / "docs" / "deploying.md").read_text("utf-8")
    for name, value in HEADERS.items():
        assert f"{name}: {value}\n" in told


def test_error_codes_are_told() -> None:
    """Of every leaf of TokError, and of every code that the page's modules make."""
    told = (ROOT / "docs" / "python.md").read_text("utf-8")
    for error in leaves(errors.TokError):
        if error.__module__.startswith("pyodide_tok") and error.code != "model-unknown":
            assert f"| `{error.__name__}` | `{error.code}` |" in told
    told += (ROOT / "docs" / "client.md").read_text("utf-8")
    scripts = [path.read_text("utf-8") for path in (ROOT / "web").rglob("*.js")]
    for code in chain.from_iterable(re.findall(r'code: "([a-z-]+)"', text) for text in scripts):
        assert f"`{code}`" in told


def leaves(error: type[errors.TokError]) -> Iterator[type[errors.TokError]]:
    for child in error.__subclasses__():
        yield child
        yield from leaves(child)


PUBLIC = [
    *(getattr(pyodide_tok, name) for name in pyodide_tok.__all__ if not name.startswith("_")),
    *(Batch, ChatTemplates, StreamDecoder, Trace),
    *leaves(errors.TokError),
]


@pytest.mark.parametrize("cls", PUBLIC, ids=lambda cls: cls.__name__)
def test_all_that_is_public_has_a_docstring(cls: type) -> None:
    own = {name: value for name, value in vars(cls).items() if not name.startswith("_")}
    methods = [name for name, value in own.items() if callable(value) or is_descriptor(value)]
    inherited = {name for name in methods if any(hasattr(base, name) for base in cls.__bases__)}
    assert inspect.getdoc(cls)
    assert [n for n in methods if n not in inherited and not inspect.getdoc(own[n])] == []


def is_descriptor(value: object) -> bool:
    """A property, class method and the like; not a slot, which the class's docstring tells of."""
    return hasattr(value, "__get__") and not inspect.ismemberdescriptor(value)
