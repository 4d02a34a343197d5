"""Chat messages -> text, by the Jinja template in a GGUF file (extra `chat`).

Kept apart from encoding: a tokenizer applies no template by itself. Templates come from strangers,
so they run in a sandbox with limits: see `chat_sandbox`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyodide_tok.errors import ChatError, need_module
from pyodide_tok.vocab.vocab import Vocab

if TYPE_CHECKING:
    from pyodide_tok.chat.sandbox import Renderer

_KEY = "tokenizer.chat_template"
_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "mask")


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
        """The text of a chat.

        messages: as [{"role": "user", "content": "Hello"}]. template: a name; left out it is
        "tool_use" where tools are given and there is one, else "default". variables: what else
        the template may ask for: add_generation_prompt, tools, documents, enable_thinking, ...
        Raises `ChatError`, and `OptionalDependencyError` without jinja2.
        """
        given = dict(variables or {})
        name = template or self._name(bool(given.get("tools")))
        if isinstance(messages, str) or not all(isinstance(one, Mapping) for one in messages):
            raise ChatError("messages are a list of dicts with 'role' and 'content'", template=name)
        return self._renderer(name)({**self._tokens, "messages": list(messages), **given})

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
            raise ChatError(f"the file has no chat template {name!r}; it has: {known}")
        text = self._texts[name]
        if "{" not in text:
            raise ChatError(
                f"the chat template {name!r} is {text[:40]!r}: no Jinja, but the name of one that"
                " llama.cpp has built in, which is not known here",
                template=name,
            )
