"""The reading order of the package: what may import what, and how long anything may be."""

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pyodide_tok"

# A module imports only what stands above it here; the encoders and the explainers, which stand
# together, never import each other.
ORDER = (
    *("errors", "notices", "optional"),
    *("unicode_tables", "codepoints", "escapes", "beginnings"),
    *("stringarray", "gguf", "sources", "remote"),
    *("hashorder", "sortorder", "specials", "vocab", "loader"),
    *("splitting", "pretokenizers", "patterns"),
    *("fragments", "pieces", "encoding", "batch"),
    *(
        "encoders",
        "encoders.alignment",
        "encoders.memo",
        "encoders.lines",
        "encoders.merging",
        "encoders.cuts",
    ),
    *("encoders.starts", "encoders.charsmap", "encoders.normalizer"),
    *("encoders.spm", "encoders.bpe", "encoders.wordpiece", "encoders.unigram", "encoders.rwkv"),
    *("encoders.plamo", "encoders.raw", "encoders.preparing"),
    *("trace", "explainers", "explainers.words"),
    *("explainers.merges", "explainers.matches", "explainers.paths", "explain"),
    *("chat", "chat_sandbox", "borders", "dispatch", "tokenizer", "__init__"),
    *("inspection", "views", "counting", "bridge", "terminal", "commands", "cli", "__main__"),
)
ENCODERS = {f"encoders.{name}" for name in ("spm", "bpe", "wordpiece", "unigram", "rwkv")}
ENCODERS |= {f"encoders.{name}" for name in ("plamo", "raw", "preparing")}
EXPLAINERS = {f"explainers.{name}" for name in ("merges", "matches", "paths")}
GENERATED = {"unicode_tables"}
# imported by functions alone, once it is known that what they need is there
OPTIONAL = {"chat_sandbox": {"jinja2"}}
MAX_LINES, MAX_FUNCTION_LINES = 400, 60


def name_of(path: Path) -> str:
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return name.removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def imports(node: ast.AST) -> set[str]:
    """What is imported when the module is: not for its types, nor by a function later."""
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            assert not child.level, "imports are absolute here"
            module = child.module or ""
            found |= {module, *(f"{module}.{alias.name}" for alias in child.names)}
        elif isinstance(child, ast.Import):
            found |= {alias.name for alias in child.names}
        elif not isinstance(child, ast.FunctionDef) and not is_for_types(child):
            found |= imports(child)
    return found


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def ours(name: str) -> set[str]:
    """The modules of the package that a module imports."""
    found = {name for name in imports(tree(name)) if name.split(".")[0] == "pyodide_tok"}
    found = {name.removeprefix("pyodide_tok").lstrip(".") or "__init__" for name in found}
    return found & MODULES.keys()


def test_every_module_has_its_place() -> None:
    assert [name for name in MODULES if name not in ORDER] == []


@pytest.mark.parametrize("name", MODULES)
def test_imports_only_what_stands_above(name: str) -> None:
    above = ORDER[: ORDER.index(name)]
    assert sorted(ours(name) - set(above)) == []


@pytest.mark.parametrize("group", [ENCODERS, EXPLAINERS], ids=["encoders", "explainers"])
def test_never_import_each_other(group: set[str]) -> None:
    for name in group:
        assert ours(name) & group == set()


@pytest.mark.parametrize("name", MODULES)
def test_needs_the_standard_library_alone(name: str) -> None:
    roots = {module.split(".")[0] for module in imports(tree(name))}
    allowed = sys.stdlib_module_names | {"pyodide_tok"} | OPTIONAL.get(name, set())
    assert sorted(roots - allowed) == []
    assert not ours(name) & OPTIONAL.keys()


@pytest.mark.parametrize("name", sorted(MODULES.keys() - GENERATED))
def test_modules_and_functions_are_short(name: str) -> None:
    assert len(MODULES[name].read_text(encoding="utf-8").splitlines()) < MAX_LINES
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= MAX_FUNCTION_LINES, node.name
