"""Chat messages -> text, by the Jinja template in a GGUF file (extra `chat`).

Kept apart from encoding: a tokenizer applies no template by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyodide_tok.chat.messages import parse_arguments, prepared, text_arguments
from pyodide_tok.errors import ChatError, need_module
from pyodide_tok.vocab.vocab import Vocab

if TYPE_CHECKING:
    from pyodide_tok.chat.sandbox import Renderer

_KEY = "tokenizer.chat_template"
_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "mask")
_NAME = re.compile(r"[\w.+-]+")  # such as "llama2-sys", one of llama.cpp's built-in templates
_HOW = "Pass the messages through the original model's template, or put it into the file"


class ChatTemplates(Mapping[str, str]):
    """Name -> text of a file's templates: "default" is `tokenizer.chat_template`, and NAME is
    `tokenizer.chat_template.NAME`."""

    def __init__(self, metadata: Mapping[str, Any], vocab: Vocab) -> None:
        keys = {_KEY: "default"} | {
            key: key.removeprefix(_KEY + ".") for key in metadata if key.startswith(_KEY + ".")
        }
        self._texts: dict[str, str] = {
            name: metadata[key] for key, name in keys.items() if isinstance(metadata.get(key), str)
        }
        self._tokens = {
            f"{name}_token": vocab.texts[vocab.special[name]] if name in vocab.special else ""
            for name in _SPECIAL
            if name in vocab.special or name in ("bos", "eos")
        }
        self._renderers: dict[str, Renderer] = {}

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        template: str | None = None,
        variables: Mapping[str, Any] | None = None,
    ) -> str:
        """The text of a chat, as transformers renders it.

        messages: such as [{"role": "user", "content": "Hello"}]. template: a name; the default is
        "tool_use" if there are tools and such a template, else "default". variables: what else
        the template reads: add_generation_prompt, tools, documents, enable_thinking, ...

        A template is a program by the file's author, and may run forever or fill the memory.
        Render an untrusted one in a process with a timeout.
        Raises `ChatError`, and `OptionalDependencyError` without jinja2.
        """
        given = dict(variables or {})
        name = template or self._name(bool(given.get("tools")))
        ready = prepared(messages, {**self._tokens, **given}, name)
        return _rendered(self._renderer(name), ready)

    def _name(self, with_tools: bool) -> str:
        return "tool_use" if with_tools and "tool_use" in self._texts else "default"

    def _renderer(self, name: str) -> Renderer:
        if name not in self._renderers:
            self._check(name)
            need_module("jinja2", "chat", "render_chat")
            from pyodide_tok.chat.sandbox import Renderer

            self._renderers[name] = Renderer(name, self._texts[name])
        return self._renderers[name]

    def _check(self, name: str) -> None:
        if name not in self._texts:
            known = ", ".join(self._texts) or "none"
            raise ChatError(f"The file has no chat template {name!r}; it has: {known}")
        text = self._texts[name].strip()
        if not text:
            raise ChatError(f"The chat template {name!r} is empty. {_HOW}.", template=name)
        if _NAME.fullmatch(text):
            raise ChatError(
                f"The chat template {name!r} is only a name, {text[:40]!r}: llama.cpp has a"
                f" template of that name built in, this package has not. {_HOW}.",
                template=name,
            )


def _rendered(renderer: Renderer, variables: dict[str, Any]) -> str:
    """The text. If the template fails on JSON text as a tool call's arguments, they are parsed."""
    messages = variables["messages"]
    try:
        return renderer(variables)
    except ChatError as error:
        if not parse_arguments(messages):
            raise _with_arguments(error, text_arguments(messages)) from error.__cause__
        try:
            return renderer(variables)
        except ChatError:
            raise error from error.__cause__


def _with_arguments(error: ChatError, text: str | None) -> ChatError:
    """The error, with a word on arguments that are text but not a JSON object."""
    if text is None:
        return error
    message = (
        f"{str(error).rstrip('.')}. Arguments of a tool call are not a JSON object: {text[:40]!r}"
    )
    return ChatError(message, template=error.template, line=error.line)
