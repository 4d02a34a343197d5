"""Chat templates: no Jinja that a stranger writes reaches beyond its sandbox.

Time and memory are not limited there, so what these templates can write is small.

An audit hook sees what a template makes Python do: open, start, connect, load.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from pyodide_tok import Tokenizer, TokError
from tests.fuzz.choices import Choices
from tests.fuzz.recipes import Case, file_of, texts

NAMES: tuple[str, ...] = (
    "messages",
    "m",
    "bos_token",
    "tools",
    "x",
    "loop",
    "self",
    "cycler",
    "joiner",
    "namespace",
)
NAMES += (
    "range",
    "dict",
    "raise_exception",
    "strftime_now",
    "caller",
    "varargs",
    "true",
    "none",
    "f",
)
ATTRS: tuple[str, ...] = (
    "__class__",
    "__mro__",
    "__subclasses__()",
    "__globals__",
    "__init__",
    "__builtins__",
)
ATTRS += ("content", "role", "format", "format_map", "mro()", "gi_frame", "func_globals", "name")
ATTRS += (
    "__code__",
    "append(1)",
    "items()",
    "join",
    "translate",
    "encode()",
    "_TemplateReference__context",
)
ATTRS += ("__add__", "split('')", "zfill(9)", "center(9)", "expandtabs(9)", "environment")
FILTERS: tuple[str, ...] = (
    "join",
    "attr('__class__')",
    "map('upper')",
    "list",
    "tojson",
    "format(1)",
    "length",
    "sum",
)
FILTERS += (
    "replace('a', 'bb')",
    "center(9)",
    "batch(2)",
    "slice(3)",
    "groupby('role')",
    "safe",
)
FILTERS += (
    "map(attribute='__class__')",
    "string",
    "reverse",
    "indent(9)",
    "xmlattr",
    "pprint",
    "int",
)
FILTERS += (
    "default('x')",
    "trim",
    "first",
    "sort",
    "unique",
    "urlize",
    "wordwrap(1)",
    "random",
    "items",
)
VALUES: tuple[str, ...] = (
    "1",
    "0",
    "-1",
    "999",
    "''",
    "'ab'",
    "'%s'",
    "'{0.__class__}'",
    "[]",
    "{}",
)
VALUES += ("[1, 2]", "{'a': 1}", "'a' * 9", "'%9d'", "1.5", "[messages]", "x", "(1, 2)")
OPERATORS = ("+", "%", "~", "==", "in", "and", "if x else", "//", "<")
STATEMENTS = (
    *("{{% for m in {0} %}}{1}{{% endfor %}}", "{{% set x = {0} %}}{1}", "{{{{ {0} }}}}{1}"),
    *(
        "{{% if {0} %}}{1}{{% else %}}{1}{{% endif %}}",
        "{{% macro f(x) %}}{1}{{{{ {0} }}}}{{% endmacro %}}",
    ),
    *(
        "{{% call f({0}) %}}{1}{{% endcall %}}",
        "{{% set x %}}{1}{{% endset %}}",
        "{{% filter upper %}}{1}{{% endfilter %}}",
    ),
    *(
        "{{% for m in x recursive %}}{{{{ loop({0}) }}}}{1}{{% endfor %}}",
        "{{% include {0} %}}",
        "{{% import {0} as x %}}",
    ),
    *(
        "{{% set ns = namespace(n={0}) %}}{{% set ns.n = ns %}}{1}",
        "{{% generation %}}{1}{{% endgeneration %}}",
    ),
    *(
        "{{% for m in range(3) %}}{1}{{% endfor %}}",
        "{{% extends {0} %}}",
        "{{% block b %}}{1}{{{{ self.b() }}}}{{% endblock %}}",
    ),
)
MESSAGES: list[Any] = [
    [{"role": "user", "content": "Hi"}],
    [],
    [{"role": "user", "content": [{"type": "text", "text": "a"}]}, {"role": "assistant"}],
    [{"content": "{{ 7 * 7 }}{% raw %}"}],
]
_FORBIDDEN = re.compile(r"os\.|subprocess|socket|ctypes|shutil|open|urllib|webbrowser|pty")
_seen: list[str] = []
_watching = False


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if _watching and _FORBIDDEN.match(event):
        # what Python reads to show an error
        source = event == "open" and str(args[0]).endswith((".py", ".pyc", "<template>"))
        if not source and event not in ("os.listdir", "os.scandir"):
            _seen.append(f"{event} {args!r:.200}")


sys.addaudithook(_audit)


def make(choices: Choices) -> Case:
    text = body(choices, 3)
    if choices.chance(3):  # broken Jinja
        at, n = choices.below(len(text) + 1), choices.below(8)
        text = text[:at] + choices.take(n).decode("latin-1") + text[at + n :]
    deep = [
        choices.pick(("(", "[", "{{", "{% if x %}", "{% for m in x %}", "not ", "-", "x|")),
        3000,
    ]
    parts = [text, deep] if choices.chance(24) else [text]
    return {"template": parts, "messages": choices.pick(MESSAGES)}


def body(choices: Choices, depth: int) -> str:
    if not depth:
        return choices.pick(("", "a", "{{ x }}", "{{ m }}", "{% break %}"))
    inner = "".join(body(choices, depth - 1) for _ in range(1 + choices.below(2)))
    return choices.pick(STATEMENTS).format(expression(choices, depth), inner)


def expression(choices: Choices, depth: int) -> str:
    text = choices.pick(NAMES + VALUES)
    for _ in range(choices.below(4)):
        how = choices.below(5)
        if how == 0:
            text += "." + choices.pick(ATTRS)
        elif how == 1:
            text += "|" + choices.pick(FILTERS)
        elif how == 2:
            text += f"[{choices.pick((*map(repr, ATTRS), *VALUES))}]"
        elif how == 3:
            text += f"({', '.join(choices.several(lambda: choices.pick(VALUES + NAMES), 2))})"
        elif depth:
            text = f"({text} {choices.pick(OPERATORS)} {expression(choices, depth - 1)})"
    return text


def size(case: Case) -> int:
    return sum(map(len, texts(case["template"])))


def check(case: Case) -> None:
    global _watching
    template = "".join(texts(case["template"]))
    keys = [["tokenizer.chat_template", "string", template]]
    tok = Tokenizer.from_gguf(file_of({"model": "llama", "tokens": ["<s>", "a"], "keys": keys}))
    _seen.clear()
    _watching = True
    try:
        text = tok.render_chat(case["messages"], tools=[{"name": "f"}], x=case.get("x", "ab"))
        assert isinstance(text, str)
    except TokError as error:
        text = str(error)
    finally:
        _watching = False
    assert not _seen, _seen
