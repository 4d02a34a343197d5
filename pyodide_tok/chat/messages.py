"""What a chat template receives: messages and variables as plain data, under the usual names.

The rules are those of transformers (render_jinja_template), and for tool calls whose arguments are
JSON text llama.cpp's (func_args_not_string).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pyodide_tok.errors import ChatError

_REASONING = ("reasoning_content", "thinking", "reasoning")  # the first is what templates read
_ALWAYS = {"tools": None, "documents": None}  # templates ask whether these are none

_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)  # whose subclasses are enumerations, numpy's scalars, ...


def prepared(messages: Any, variables: Mapping[str, Any], template: str) -> dict[str, Any]:
    """The variables of a template, `messages` among them; nothing in them is the caller's own."""
    try:
        chat, others = plain(list(messages)), plain(variables)
    except RecursionError:
        raise ChatError("messages or variables are nested too deeply", template=template) from None
    if isinstance(messages, str) or not all(isinstance(one, dict) for one in chat):
        raise ChatError("messages are a list of dicts with 'role' and 'content'", template=template)
    tools = others.get("tools") or []
    if not isinstance(tools, list | tuple) or not all(isinstance(tool, dict) for tool in tools):
        raise ChatError("tools are a list of dicts, JSON schemas of functions", template=template)
    return {**_ALWAYS, **others, "messages": [_message(one) for one in chat]}


def plain(value: Any) -> Any:
    """A copy in JSON types alone: other objects have methods that the sandbox does not know."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    for base, convert in _BASES:
        if isinstance(value, base):
            return convert(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [plain(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if callable(dump := getattr(value, "model_dump", None)):  # the OpenAI client's messages
        return plain(dump())
    if getattr(value, "shape", None) == ():  # one number of numpy
        return plain(value.item())
    return f"<{type(value).__name__}>"


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Without keys that are None: many templates write "None" for a content beside tool calls."""
    kept = {key: value for key, value in message.items() if value is not None}
    reasoning = next((kept[name] for name in _REASONING if name in kept), None)
    if reasoning is None:
        return kept
    return {"thinking": reasoning, **kept, "reasoning_content": reasoning}


def parse_arguments(messages: list[dict[str, Any]]) -> bool:
    """Parses, in place, arguments of tool calls that are JSON text; whether there were any."""
    functions = list(_with_text_arguments(messages))
    for function in functions:
        function["arguments"] = _mapping(function["arguments"])
    return any(isinstance(function["arguments"], dict) for function in functions)


def text_arguments(messages: list[dict[str, Any]]) -> str | None:
    """The first arguments of a tool call that are text."""
    return next((one["arguments"] for one in _with_text_arguments(messages)), None)


def _with_text_arguments(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list | tuple) else ():
            function = call.get("function", call) if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("arguments"), str):
                yield function


def _mapping(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text
