"""Chat templates: what Hugging Face's set-up gives, and what a hostile one gets."""

# ruff: noqa: E501  (templates)

import json
import sys
import time
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyodide_tok import Tokenizer, TokError
from pyodide_tok.errors import ChatError, OptionalDependencyError
from tests import small
from tests.platforms import SLOWER
from tests.reference import sample_vocab, vocab_path, vocabs

jinja2 = pytest.importorskip("jinja2")
sandbox = pytest.importorskip("pyodide_tok.chat.sandbox")

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
    tok = with_template("plain", tool_use="{{ tools | length }} tools", rag="{{ documents[0] }}")
    tok.chat_templates._texts["default"] += "{{ '' }}"
    assert dict(tok.chat_templates).keys() == {"default", "tool_use", "rag"}
    assert tok.render_chat(HELLO) == "plain"
    assert tok.render_chat(HELLO, tools=TOOLS) == "1 tools"
    assert tok.render_chat(HELLO, tools=TOOLS, template="default") == "plain"
    assert tok.render_chat(HELLO, template="rag", documents=["doc"]) == "doc"
    assert with_template(None, rag="{{ 1 }}").render_chat(HELLO, template="rag") == "1"


def as_hugging_face(text: str, **variables: Any) -> str:
    """The set-up of transformers, without our limits."""
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = lambda value, **how: json.dumps(value, ensure_ascii=False, **how)
    env.globals["raise_exception"] = lambda message: (_ for _ in ()).throw(
        jinja2.TemplateError(message)
    )
    return str(env.from_string(text).render(**variables))


MESSAGES = st.lists(
    st.fixed_dictionaries({"content": st.text(max_size=20)}), min_size=1, max_size=6
).map(lambda said: [{"role": ("user", "assistant")[i % 2], **m} for i, m in enumerate(said)])


@pytest.mark.parametrize(
    "name", vocabs("command-r", "deepseek-r1-distill-qwen", "gemma-4", "phi-3", "qwen2")
)
def test_models_own_templates(name: str) -> None:
    tok = Tokenizer.from_gguf(vocab_path(name))
    bos, eos = (
        tok.id_to_token(tok.special_ids[k]) if k in tok.special_ids else "" for k in ("bos", "eos")
    )

    @given(MESSAGES, st.booleans(), st.sampled_from((None, TOOLS)))
    @settings(max_examples=10)
    def check(messages: list[dict[str, str]], prompt: bool, tools: Any) -> None:
        given_ = {"add_generation_prompt": prompt, "tools": tools}
        tokens = {"bos_token": bos, "eos_token": eos}
        wanted = as_hugging_face(
            tok.chat_templates["default"], messages=messages, **given_, **tokens
        )
        assert tok.render_chat(messages, template="default", **given_) == wanted

    check()


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
    with pytest.raises(ChatError, match="'rwkv-world': no Jinja"):
        sample_vocab("rwkv").render_chat(HELLO)


@pytest.mark.parametrize("messages", ["Hello", ["Hello"], [HELLO]])
def test_messages_are_dicts(messages: Any) -> None:
    with pytest.raises(ChatError, match="list of dicts"):
        render(CHATML, messages)


def test_jinja_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OptionalDependencyError, match=r"pip install 'pyodide-tok\[chat\]'"):
        render(CHATML)


# -- hostile templates --------------------------------------------------------------------

GROW = "{%% set ns = namespace(x=%s) %%}{%% for i in range(60) %%}{%% set ns.x = %s %%}{%% endfor %%}%s"
BIG = "{% set s = 'x' * 1000000 %}"
HOSTILE = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "text": "{% for a in range(99999) %}" + "y" * 1000 + "{% endfor %}",
    "output": "{% for a in range(99999) %}{{ 'x' * 1000 }}{% endfor %}",
    "range": "{{ range(99999999999) | list }}",
    "times": "{{ 'x' * 9999999999 }}{{ 9999999999 * [1] }}",
    "power": "{{ 10 ** 99999999 }}",
    "width": "{{ '%9999999999d' % 1 }}",
    "star": "{{ '%*d' | format(999999999, 1) }}",
    "format": "{{ '{:>9999999999}'.format(1) }}",
    "nested format": "{{ '{:>{}}'.format(1, 9999999999) }}",
    "date": "{{ strftime_now('%999999999Y') }}",
    "center": "{{ 'x' | center(9999999999) }}",
    "ljust": "{{ 'x'.ljust(9999999999) }}",
    "round": "{{ 1.5 | round(999999999, 'ceil') }}",
    "batch": "{{ [1] | batch(9999999, 'x') | list }}",
    "translate": BIG + "{{ s.translate({120: s}) }}",
    "expandtabs": "{{ '\t'.expandtabs(999) }}",
    "lipsum": "{{ lipsum(n=999999999) }}",
    "concat": GROW % ("'x'", "ns.x ~ ns.x", "{{ ns.x | length }}"),
    "add": GROW % ("'x'", "ns.x + ns.x", "{{ ns.x | length }}"),
    "lists": GROW % ("[1]", "[ns.x, ns.x]", "{{ ns.x }}"),
    "tuples": GROW % ("(1,)", "(ns.x, ns.x)", "{{ ns.x | string | length }}"),
    "dicts": GROW % ("{}", "{'a': ns.x, 'b': ns.x}", "{{ ns.x | tojson }}"),
    "calls": GROW % ("{}", "dict(a=ns.x, b=ns.x)", "{{ ns.x == 1 }}"),
    "deep": "{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}",
    "block": "{% set ns = namespace(x='x') %}{% for i in range(60) %}{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}{% endfor %}",
    "namespace": "{% set n = namespace() %}{% set n.n = n %}{{ n }}",
    "namespace filtered": "{% set n = namespace() %}{{ n | string }}",
    "namespace added": "{% set n = namespace() %}{{ '%s' % n }}",
    "join": BIG + "{{ range(9999) | join(s) }}",
    "str.join": BIG + "{{ s.join(range(9999) | map('string')) }}",
    "replace": BIG + "{{ s.replace('x', s) }}",
    "replace filter": BIG + "{{ s | replace('x', s) }}",
    "map": BIG + "{{ [s, s, s, s] | map('replace', 'x', 'yy') | list }}",
    "many": BIG + "{% for i in range(9999) %}{% set t = s ~ i %}{% endfor %}",
    "macro": "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    "macros": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(99) }}",
    "parentheses": "{{ " + "(" * 20000 + "1" + ")" * 20000 + " }}",
    "long": "x{{ 1 }}" * 40000,
    "class": "{{ ''.__class__.__mro__ }}",
    "globals": "{{ cycler.__init__.__globals__.os.getcwd() }}",
    "append": "{{ messages.append(1) }}",
    "update": "{{ messages[0].update({}) }}",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_templates_fail_soon(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MAX_SECONDS", 0.5)
    start = time.process_time()
    with pytest.raises(ChatError):
        render(HOSTILE[name])
    assert time.process_time() - start < 3 * SLOWER


def test_macros_within_one_another() -> None:
    nested = "{%% macro f(n) %%}x{%% if n %%}{{ f(n - 1) }}{%% endif %%}{%% endmacro %%}{{ f(%d) }}"
    assert render(nested % 20) == "x" * 21
    with pytest.raises(ChatError, match="calls stand in one another over 30 deep"):
        render(nested % 31)


def test_a_long_chat_is_no_attack() -> None:
    chat = [{"role": "user", "content": "word " * 200}] * 1000
    text = (
        CHATML + "{{ messages | length }}{% for m in messages %}{{ messages | length }}{% endfor %}"
    )
    assert len(render(text, chat)) > 900_000
