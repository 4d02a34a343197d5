"""Chat templates: rendered as transformers renders them, with clear errors, in a sandbox."""

# ruff: noqa: E501  (templates)

import json
import re
import subprocess
import sys
from collections import UserDict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import Tokenizer, TokError
from pyodide_tok.errors import ChatError, OptionalDependencyError
from tests import gguf_writer, small
from tests.gguf_writer import Entry
from tests.platforms import PROCESSES, needs
from tests.reference import sample_vocab

pytest.importorskip("jinja2")

DATA = Path(__file__).parent / "data" / "chats"
CHATS = json.loads((DATA / "chats.json").read_text("utf-8"))
CONSTRUCTS = json.loads((DATA / "constructs.json").read_text("utf-8"))
HELLO = [{"role": "user", "content": "Hello"}]
CHAT = [
    {"role": "system", "content": "Be kind."},
    *HELLO,
    {"role": "assistant", "content": " Hi \n"},
    {"role": "user", "content": "你好 <b> & 'x'"},
]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather é",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
]
CHATML = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m['content'] | trim }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def with_template(text: str | None, **others: str) -> Tokenizer:
    """A tokenizer whose file has these templates."""
    file = small.gguf("llama", ["<unk>", "<s>", "</s>", "a"], scores=[0.0] * 4)
    templates = {"tokenizer.chat_template": text} if text is not None else {}
    templates |= {f"tokenizer.chat_template.{name}": other for name, other in others.items()}
    file.metadata.update(templates)  # type: ignore[attr-defined]
    return Tokenizer(file)


def render(text: str, messages: Any = HELLO, **options: Any) -> str:
    return with_template(text).render_chat(messages, **options)


# -- what templates get -------------------------------------------------------------------


def test_a_chat() -> None:
    assert render(CHATML) == "<s><|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    assert render(CHATML, [], add_generation_prompt=False) == "<s>"


def test_blocks_are_trimmed_and_stripped() -> None:
    assert render("  {% if true %}\nyes\n  {% endif %}\nno") == "yes\nno"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{ bos_token }}|{{ eos_token }}|{{ unk_token }}|{{ pad_token is defined }}", "<s>|</s>|<unk>|False"),
        ("{% for i in range(9) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}", "012"),
        ("{% for i in [1,2,3] %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "13"),
        ("{% generation %}said{% endgeneration %}", "said"),
        ("{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}", "1"),
        ("{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f('a') ~ f('b') }}", "<a><b>"),
        ("{{ messages | map(attribute='role') | join(', ') }}", "user"),
        ("{{ messages[0].content[::-1] }}{{ messages[1:] }}", "olleH[]"),
        ("{% for m in messages %}{{ loop.first }}{{ loop.last }}{{ loop.length }}{% endfor %}", "TrueTrue1"),
        ("{% for a in [1,2] recursive %}{{ a }}{% endfor %}{{ 'a b'.split(' ') | length }}", "122"),
        ("{{ 'é<' | tojson }}{{ {'b': 1, 'a': [none]} | tojson }}", '"é<"{"b": 1, "a": [null]}'),
        ("{{ {'a': 1} | tojson(indent=2) }}", '{\n  "a": 1\n}'),
        ("{{ '%s-%d' % ('a', 2) }}{{ '{} {x}'.format(1, x=2) }}{{ 'n=%s' | format(3) }}", "a-21 2n=3"),
        ("{{ thinking }}{{ tools is none }}{{ 4096 | default(1) }}{{ none_such | default(8192) }}", "onTrue40968192"),
        ("{{ {'k': 'v'}.get('x', 5000) }}{% for k, v in {'k': 'v'}.items() %}{{ k }}{{ v }}{% endfor %}", "5000kv"),
        ("{% set x %}a{{ 1 }}{% endset %}{{ x * 2 }}{{ [1] + [2] }}{{ 2 ** 8 }}{{ 7 % 4 }}", "a1a1[1, 2]2563"),
        ("{{ ['b','a'] | sort | join }}{{ 'a' in ['a'] }}{{ (1, 2) | last }}", "abTrue2"),
        ("{{ 'aXbX'.replace('X', '--') }}{{ 'aX' | replace('X', '-') }}{{ '-'.join(['a','b']) }}", "a--b--a-a-b"),
    ],
)  # fmt: skip
def test_what_templates_can_do(text: str, wanted: str) -> None:
    assert render(text, thinking="on") == wanted


def test_the_date() -> None:
    assert render("{{ strftime_now('%Y-%m') }}") == datetime.now().strftime("%Y-%m")


def test_several_templates() -> None:
    tok = with_template(
        "just text", tool_use="{{ tools | length }} tools", rag="{{ documents[0] }}"
    )
    assert dict(tok.chat_templates).keys() == {"default", "tool_use", "rag"}
    assert len(tok.chat_templates) == 3
    assert tok.render_chat(HELLO) == "just text"
    assert tok.render_chat(HELLO, tools=TOOLS) == "1 tools"
    assert tok.render_chat(HELLO, tools=TOOLS, template="default") == "just text"
    assert tok.render_chat(HELLO, template="rag", documents=["doc"]) == "doc"
    assert with_template(None, rag="{{ 1 }}").render_chat(HELLO, template="rag") == "1"


# -- errors -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("\n{% if %}", "Expected an expression", 2),
        ("{{ raise_exception('Roles must alternate') }}", "Roles must alternate", 1),
        ("a\nb\n{{ messages[0].name.first }}", "has no attribute 'name'", 3),
        ("{{ 1 / 0 }}", "ZeroDivisionError", 1),
        ("{% include 'other' %}", "no loader", 1),
    ],
)
def test_what_is_wrong_and_where(text: str, message: str, line: int) -> None:
    with pytest.raises(ChatError, match=message) as caught:
        render(text)
    assert (caught.value.template, caught.value.line) == ("default", line)
    assert isinstance(caught.value, TokError)
    assert isinstance(caught.value, ValueError)


def test_no_template() -> None:
    with pytest.raises(ChatError, match="no chat template 'default'; it has: none"):
        sample_vocab("gpt-2").render_chat(HELLO)
    with pytest.raises(ChatError, match="no chat template 'rag'; it has: default"):
        with_template(CHATML).render_chat(HELLO, template="rag")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The chat template 'default' is empty"),
        (" \n", "The chat template 'default' is empty"),
        ("llama2", "is only a name, 'llama2'"),
        ("rwkv-world\n", "is only a name, 'rwkv-world'"),
        ("{{ if .System }}{{ .System }}{{ end }}", "line 1.*Go template of Ollama"),
        ("{{- range .Messages }}{{ .Content }}{{ end }}", "line 1.*Go template of Ollama"),
        ("Hi\n{{ .Prompt }}", "line 2.*Go template of Ollama"),
        ("{% if %}", "is not valid Jinja at line 1: Expected an expression, got 'end of statement block'$"),
    ],
)  # fmt: skip
def test_what_is_no_jinja(text: str, message: str) -> None:
    with pytest.raises(ChatError, match=message):
        render(text)


def test_text_without_jinja_is_a_template() -> None:
    assert render("Say this.") == "Say this."


@pytest.mark.parametrize("messages", ["Hello", ["Hello"], [HELLO]])
def test_messages_are_dicts(messages: Any) -> None:
    with pytest.raises(ChatError, match="list of dicts"):
        render(CHATML, messages)


@pytest.mark.parametrize("tools", ["weather", [print], {"name": "f"}])
def test_tools_are_dicts(tools: Any) -> None:
    with pytest.raises(ChatError, match="tools are a list of dicts"):
        render(CHATML, tools=tools)


def test_jinja_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OptionalDependencyError, match=r"pip install 'pyodide-tok\[chat\]'"):
        render(CHATML)


# -- the messages -------------------------------------------------------------------------


def call(arguments: Any) -> dict[str, Any]:
    """A message that calls a tool."""
    function = {"name": "f", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}


EACH = "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}"
ARGUMENTS = "messages[0].tool_calls[0].function.arguments"
ITEMS = f"{{% for k, v in {ARGUMENTS} | items %}}{{{{ k }}}}={{{{ v }}}};{{% endfor %}}"


def test_keys_that_are_none_are_dropped() -> None:
    assert render(EACH, [*HELLO, call({})]) == "user:Hello;assistant:;"
    text = "{{ messages[0].content is defined }}{{ messages[0].tool_calls is defined }}"
    assert render(text, [{"role": "user", "content": None, "tool_calls": None}]) == "FalseFalse"


@pytest.mark.parametrize("name", ["reasoning_content", "thinking", "reasoning"])
def test_reasoning_has_one_name(name: str) -> None:
    message = {"role": "assistant", "content": "x", name: "Hm"}
    assert render("{{ messages[0].reasoning_content }}", [message]) == "Hm"
    assert render("{{ messages[0].thinking }}", [message]) == "Hm"
    assert message == {"role": "assistant", "content": "x", name: "Hm"}


def test_names_that_are_always_defined() -> None:
    text = "{% for x in (tools, documents) %}{{ x is defined }}{{ x is none }}{% endfor %}"
    assert render(text) == "TrueTrueTrueTrue"
    assert render("{{ documents | length }}", documents=[{"text": "a"}]) == "1"


def test_arguments_as_text() -> None:
    given = [call('{"city": "Paris", "n": 2}')]
    assert render(ITEMS, given) == "city=Paris;n=2;"
    assert render(f"{{{{ {ARGUMENTS} }}}}", given) == '{"city": "Paris", "n": 2}'
    assert given == [call('{"city": "Paris", "n": 2}')]
    bare = [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": '{"a": 1}'}]}]
    assert render(ITEMS.replace(".function", ""), bare) == "a=1;"
    odd = [{"role": "user", "tool_calls": "none"}, {"role": "user", "tool_calls": [None, {}]}]
    with pytest.raises(ChatError, match="has no attribute 'x'"):
        render("{{ messages[0].x.x }}", odd)


TOO_DEEP = pytest.param("[" * 100_000, marks=needs("such deep stack"))


@pytest.mark.parametrize("text", ['{"city": ', "[1]", TOO_DEEP])
def test_arguments_that_are_no_mapping(text: str) -> None:
    with pytest.raises(ChatError, match=r"item pairs.*Arguments of a tool call are not a JSON obj"):
        render(ITEMS, [call(text)])


def test_the_first_of_two_errors_is_raised() -> None:
    with pytest.raises(ChatError, match="rejects these messages at line 1: No text"):
        render(
            f"{{% if {ARGUMENTS} is string %}}{{{{ raise_exception('No text') }}}}{{% endif %}}"
            f"{{{{ 'a' + {ARGUMENTS} }}}}",
            [call("{}")],
        )


def test_messages_become_plain_data() -> None:
    class Word(str):
        def __str__(self) -> str:
            return "secret"

    class Number(int):
        pass

    @dataclass
    class Part:
        text: str

    class Model:
        def model_dump(self) -> dict[str, str]:
            return {"text": "dumped"}

    class Int64:
        shape = ()

        def item(self) -> int:
            return 8

    content = [Int64(), Word("w"), Number(7), 1.5, True, None, ("t",), Part("p"), Model(), object()]
    rendered = render("{{ messages[0].content }}", [UserDict(role="user", content=content)])
    wanted = [8, "w", 7, 1.5, True, None, ("t",), {"text": "p"}, {"text": "dumped"}, "<object>"]
    assert rendered == str(wanted)


def test_a_chat_without_end() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ChatError, match="nested too deeply"):
        render(CHATML, [{"role": "user", "content": endless}])


# -- what real templates do, and a meter of steps and sizes refused -------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{% set s = namespace(role='system', content='x') %}{% for m in [s] + messages %}{{ m.role }}:{{ m.content }};{% endfor %}", "system:x;user:Hello;"),
        ("{% set n = namespace(self=1) %}{{ n is defined }}{{ (n | default('x')).self }}", "True1"),
        ("{{ '%s' | format(2024) }}{{ 'a' | truncate(2000) }}{{ 'abc'.find('c', 2000) }}", "2024a-1"),
        ("{{ 'Name: {}'.format('x') }} {{ '**%s**' | format('x') }} {{ 'Cutoff 2024: %s' % 'x' }}", "Name: x **x** Cutoff 2024: x"),
        ("{{ strftime_now('2024') }}", "2024"),
        ("{{ 2 ** 100 }}{{ 'x' * 3 }}{{ '7' | int(4096) }}", f"{2 ** 100}xxx7"),
        ("{{ dict(a=1) }}{{ dict.fromkeys(['k'], 0) }}", "{'a': 1}{'k': 0}"),
        ("{% set x = 1 %}{% generation %}{% set x = 2 %}{{ x }}{% endgeneration %}{{ x }}", "21"),
    ],
)  # fmt: skip
def test_real_templates(text: str, wanted: str) -> None:
    assert render(text) == wanted


def test_long_chats() -> None:
    chat = [{"role": "user", "content": "word " * 200}] * 1000
    every = "{% for m in messages %}{{ messages | length }}{% endfor %}"
    assert len(render(CHATML + every, chat)) > 900_000
    adding = "{% set n = namespace(s='') %}{% for m in messages %}{% set n.s = n.s + m.content %}{% endfor %}{{ n.s }}"
    assert render(adding, chat) == "word " * 200_000
    assert len(render("{{ messages[0].content }}", [{"content": "word " * 900_000}])) == 4_500_000


def test_deep_schemas() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(100):
        schema = {"type": "object", "properties": {"a": schema}}
    assert render("{{ tools | tojson }}", tools=[schema]) == json.dumps([schema])
    nested = "{%% macro f(n) %%}x{%% if n %%}{{ f(n - 1) }}{%% endif %%}{%% endmacro %%}{{ f(%d) }}"
    assert render(nested % 40) == "x" * 41


# -- the same table of cases for the package and the page: see tests/data/README.md ---------


RECORDED = json.loads((DATA / "cases.json").read_text("utf-8"))


@pytest.mark.parametrize("template", sorted({case["template"] for case in RECORDED}))
def test_as_transformers_renders(template: str) -> None:
    tok = with_template((DATA / "templates" / template).read_text("utf-8"))
    for case in RECORDED:
        if case["template"] == template:
            options = CHATS["options"][case["options"]]
            found = rendered_or_none(tok, CHATS["chats"][case["chat"]], options)
            assert found == case["text"], (case["chat"], case["options"])


def rendered_or_none(tok: Tokenizer, messages: Any, options: dict[str, Any]) -> str | None:
    """The text of a chat; None if the template rejects it or fails on it."""
    try:
        return tok.render_chat(messages, template="default", **options)
    except ChatError:
        return None


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda row: row["jinja"])
def test_what_the_page_renders_otherwise(construct: dict[str, Any]) -> None:
    """tests/js/chat.test.js has what the page shows."""
    tok = with_template(construct["jinja"])
    assert rendered_or_none(tok, construct["messages"], {}) == construct["python"]


# -- hostile templates --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ cycler.__init__.__globals__.os.getcwd() }}",
        "{{ dict.__class__.__init__.__globals__ }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update({}) }}",
        "{{ namespace(_x=1) }}",
        "{% set n = namespace() %}{% set n.__class__ = 1 %}",
        "{{ '{0.__class__.__mro__}'.format('') }}",
        "{{ range(999999999) | list }}",
        "{{ x.x }}",
        pytest.param(
            "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", marks=needs("such deep stack")
        ),
    ],
)
def test_what_the_sandbox_refuses(text: str) -> None:
    with pytest.raises(ChatError):
        render(text)


@PROCESSES
def test_the_example_of_a_process_with_a_timeout(tmp_path: Path) -> None:
    """docs/python.md, on a template that ends and on one that does not."""
    docs = Path(__file__).parents[1] / "docs" / "python.md"
    if not docs.exists():
        pytest.skip("docs/ is not part of a source distribution")
    blocks = re.findall(r"```python\n(.*?)```", docs.read_text("utf-8"), re.DOTALL)
    scope: dict[str, Any] = {}
    exec(next(block for block in blocks if "subprocess" in block), scope)
    model = tmp_path / "model.gguf"
    model.write_bytes(file_with(CHATML))
    assert scope["render"](model, HELLO) == render(CHATML)
    model.write_bytes(file_with(ENDLESS))
    with pytest.raises(subprocess.TimeoutExpired):
        scope["render"](model, HELLO, seconds=2)


ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def file_with(template: str) -> bytes:
    tokens = (gguf_writer.STRING, ["<unk>", "<s>", "</s>", "a"])
    return gguf_writer.write(
        [
            Entry("tokenizer.ggml.model", gguf_writer.STRING, "llama"),
            Entry("tokenizer.ggml.tokens", gguf_writer.ARRAY, tokens),
            Entry("tokenizer.ggml.scores", gguf_writer.ARRAY, (gguf_writer.FLOAT32, [0.0] * 4)),
            Entry("tokenizer.chat_template", gguf_writer.STRING, template),
        ]
    )
