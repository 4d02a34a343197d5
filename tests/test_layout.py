"""The layout of the package: which folder may import which, and how long anything may be."""

import ast
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from pyodide_tok.vocab.families import FAMILIES

PACKAGE = Path(__file__).parents[1] / "pyodide_tok"

# Folders and top-level modules, level by level. A module imports from lower levels and from its own
# folder only; an import inside a function counts, one for type checkers alone does not.
LEVELS = (
    {"text", "errors"},
    {"gguf"},
    {"vocab"},
    {"pretokenize"},
    {"encoders"},
    {"explain", "chat", "decoding", "encoding", "batch"},
    {"parts"},
    {"tokenizer"},
    {"__init__"},
    {"counting", "inspection", "verify"},
    {"cli", "page"},
    {"__main__"},
)
LEVEL_OF = {name: level for level, names in enumerate(LEVELS) for name in names}
GENERATED = {"text.unicode_tables"}
# imported by functions alone, once it is known that what they need is there
OPTIONAL = {"chat.sandbox": {"jinja2"}}
TYPES = {family.name for family in FAMILIES.values()}
MAX_LINES, MAX_FUNCTION_LINES = 400, 60


def name_of(path: Path) -> str:
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return name.removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def imports(node: ast.AST, *, in_functions: bool) -> set[str]:
    """What a module imports, except for its types; with what its functions import, if wanted."""
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            assert not child.level, "imports are absolute here"
            module = child.module or ""
            found |= {module, *(f"{module}.{alias.name}" for alias in child.names)}
        elif isinstance(child, ast.Import):
            found |= {alias.name for alias in child.names}
        elif is_for_types(child) or (isinstance(child, ast.FunctionDef) and not in_functions):
            continue
        else:
            found |= imports(child, in_functions=in_functions)
    return found


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def ours(name: str, *, in_functions: bool = True) -> set[str]:
    """The modules of the package that a module imports."""
    found = imports(tree(name), in_functions=in_functions)
    found = {module for module in found if module.split(".")[0] == "pyodide_tok"}
    found = {module.removeprefix("pyodide_tok").lstrip(".") or "__init__" for module in found}
    if found - {"__init__"}:
        found.discard("__init__")
    return found & MODULES.keys()


def folder(name: str) -> str:
    return name.split(".")[0]


def test_every_folder_has_its_level() -> None:
    assert sorted({folder(name) for name in MODULES} - LEVEL_OF.keys()) == []


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name: str) -> None:
    level = LEVEL_OF[folder(name)]
    others = {other for other in ours(name) if folder(other) != folder(name)}
    assert sorted(other for other in others if LEVEL_OF[folder(other)] >= level) == []


def test_no_modules_import_each_other() -> None:
    folders = {name for name, path in MODULES.items() if path.name == "__init__.py"}
    graph = {name: ours(name) - folders for name in MODULES.keys() - folders}
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError and names the modules


@pytest.mark.parametrize("name", MODULES)
def test_needs_the_standard_library_alone(name: str) -> None:
    found = imports(tree(name), in_functions=False)
    allowed = sys.stdlib_module_names | {"pyodide_tok"} | OPTIONAL.get(name, set())
    assert sorted({module.split(".")[0] for module in found} - allowed) == []
    assert not ours(name, in_functions=False) & OPTIONAL.keys()


@pytest.mark.parametrize("name", sorted(MODULES.keys() - GENERATED))
def test_modules_and_functions_are_short(name: str) -> None:
    assert len(MODULES[name].read_text(encoding="utf-8").splitlines()) < MAX_LINES
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= MAX_FUNCTION_LINES, node.name


@pytest.mark.parametrize("name", sorted(MODULES.keys() - {"vocab.families"}))
def test_tokenizer_types_are_named_in_their_rows_alone(name: str) -> None:
    """Elsewhere a type's name is a key of a table at most: of encoders, explainers or borders."""
    nodes = list(ast.walk(tree(name)))
    keys = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
    named = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Constant) and node.value in TYPES and id(node) not in keys
    ]
    assert named == []


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def defined_names(module: ast.Module) -> set[str]:
    """The functions and methods that a module defines, and the attributes that its classes set."""
    nodes = list(ast.walk(module))
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return functions | {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "self"
    }


def foreign_names(module: ast.Module) -> list[str]:
    """The underscore names of other modules that a module uses."""
    own = defined_names(module)
    nodes = list(ast.walk(module))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    return [alias.name for node in imports for alias in node.names if is_private(alias.name)] + [
        ast.unparse(node)
        for node in attributes
        if is_private(node.attr)
        and node.attr not in own
        and ast.unparse(node.value) not in {"self", "cls", "super()"}
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from pyodide_tok.tokenizer import _restored", ["_restored"]),
        ("def f():\n    from pyodide_tok.tokenizer import _restored", ["_restored"]),
        ("def f(tokenizer):\n    return tokenizer._encoder.encode('a')", ["tokenizer._encoder"]),
        ("def f(self):\n    return self.tokenizer._path", ["self.tokenizer._path"]),
        ("class A:\n    def f(self, other):\n        self._a = other._a", []),
        ("from pyodide_tok import __version__", []),
    ],
)
def test_foreign_names_are_found(source: str, found: list[str]) -> None:
    assert foreign_names(ast.parse(source)) == found


@pytest.mark.parametrize("name", MODULES)
def test_no_module_uses_underscore_names_of_another(name: str) -> None:
    assert foreign_names(tree(name)) == []
