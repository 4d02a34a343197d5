"""Jinja as Hugging Face sets it up for chat templates, with limits that a hostile one cannot pass.

What is limited: the text that comes out, every value on the way and all of them together, the
steps (turns of loops, calls, filters) and the time. Values are looked at when they are made: by
filters, calls, operators and, wrapped when the template is parsed, by lists and the like; what the
caller gives is trusted. Nothing is computed while compiling.
"""

from __future__ import annotations

import json
import re
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import wraps
from types import BuiltinMethodType
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError, nodes, pass_context
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from pyodide_tok.errors import ChatError

MAX_TEMPLATE = 200_000  # characters
MAX_OUTPUT = 8_000_000  # characters
MAX_VALUE = 4_000_000  # characters of one value with all within it, an item counting as ITEM
MAX_TOTAL = 200_000_000  # characters of all values made
ITEM = 20
MAX_STEPS = 1_000_000
MAX_SECONDS = 5.0
MAX_COUNT = 1_000  # an integer that a filter or method is given: it may be a width
MAX_DEPTH = 60
MAX_CALLS = 30  # of macros within one another; Pyodide's stack has room for some 80

_WIDE = re.compile(r"\d{4}|\*|:[^}]*\{")  # in a format: wide, or as wide as an argument says
_SIZED = (str, bytes, dict, list, tuple, set, frozenset)
_REFUSED = {"translate", "expandtabs"}  # methods of str that make much of little
_ANY_COUNT = {"default", "d", "get", "format_map"}


class LimitError(TemplateError):
    """The template wants more than it may have."""


class _Budget:
    """What is left of steps, memory and time."""

    def __init__(self) -> None:
        self._steps, self._size, self._calls = MAX_STEPS, MAX_TOTAL, 0
        self._end = time.monotonic() + MAX_SECONDS

    def step(self, size: int = 0) -> None:
        """One step, that made a value with so many characters or items."""
        self._steps -= 1
        self._size -= size
        if min(self._steps, self._size) < 0 or time.monotonic() > self._end:
            raise LimitError(
                f"it takes over {MAX_STEPS} steps or {MAX_SECONDS:g} s, or is too large"
            )

    @contextmanager
    def call(self) -> Iterator[None]:
        """While a template calls something."""
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise LimitError(f"calls stand in one another over {MAX_CALLS} deep")
        yield
        self._calls -= 1


_budget: ContextVar[_Budget] = ContextVar("budget")


class Renderer:
    """A compiled template: called with variables it gives the text. Raises `ChatError`."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        if len(text) > MAX_TEMPLATE:
            message = f"chat template {name!r} is over {MAX_TEMPLATE} characters long"
            raise ChatError(message, template=name)
        self._template = self._limited(_compiled, text)

    def __call__(self, variables: dict[str, Any]) -> str:
        text: str = self._limited(self._template.render, variables)
        return text

    def _limited(self, do: Callable[[Any], Any], argument: Any) -> Any:
        token = _budget.set(_Budget())
        try:
            return do(argument)
        except Exception as error:
            raise self._chat_error(error) from error
        finally:
            _budget.reset(token)

    def _chat_error(self, error: Exception) -> ChatError:
        line = error.lineno if isinstance(error, TemplateSyntaxError) else _line(error)
        where = f"chat template {self._name!r}" + (f", line {line}" if line else "")
        what = (
            f"{error}" if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
        )
        return ChatError(f"{where}: {what}", template=self._name, line=line)


def _line(error: Exception) -> int | None:
    """The line of the template that raised; jinja2 writes it into the traceback."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return next((frame.lineno for frame in frames if frame.filename == "<template>"), None)


def _compiled(text: str) -> Any:
    environment = _Sandbox()
    tree = environment.parse(text)
    _guard(tree)
    return environment.from_string(tree)


def _guard(tree: Any) -> None:
    """Wraps what loops run over, and values that are put together, in filters that count."""
    for loop in list(tree.find_all(nodes.For)):
        loop.iter = _filtered(loop.iter, "#each")
    for node in list(tree.find_all(nodes.Node)):
        for field, value in list(node.iter_fields()):
            if isinstance(value, list):
                setattr(node, field, [_sized(item) for item in value])
            else:
                setattr(node, field, _sized(value))


def _sized(value: Any) -> Any:
    if isinstance(value, nodes.List | nodes.Dict | nodes.Concat):
        return _filtered(value, "#value")
    is_value = isinstance(value, nodes.Tuple) and value.ctx == "load"
    return _filtered(value, "#value") if is_value else value


def _filtered(node: Any, name: str) -> Any:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


# -- what is counted ----------------------------------------------------------------------


def size_of(value: Any, depth: int = 0) -> int:
    """Characters of a value and all within it. Raises `LimitError` over MAX_VALUE."""
    if isinstance(value, str | bytes):
        size = len(value)
    elif isinstance(value, int):
        size = value.bit_length() // 8
    elif isinstance(value, _SIZED):
        size = _size_within(value, depth)
    elif isinstance(value, Namespace):
        raise LimitError("a namespace is no value")
    else:
        size = 1
    _check_size(size)
    return size


def _size_within(values: Any, depth: int) -> int:
    if depth > MAX_DEPTH:
        raise LimitError(f"lists and dicts stand in one another over {MAX_DEPTH} deep")
    size = ITEM
    for value in values:
        size += ITEM + size_of(value, depth + 1)
        if isinstance(values, dict):
            size += size_of(values[value], depth + 1)
        if size > MAX_VALUE:
            break
    return size


def _checked(value: Any) -> Any:
    """The value, if it is not too large; of what is made as it is asked for, each item counts."""
    if isinstance(value, Iterator):
        return _each(value)
    if not isinstance(value, Namespace):
        size_of(value)
    _budget.get().step(len(value) if isinstance(value, _SIZED) else 0)
    return value


def _each(values: Iterable[Any]) -> Iterator[Any]:
    budget, total = _budget.get(), 0
    for value in values:
        budget.step()
        total += 0 if isinstance(value, Namespace) else size_of(value)
        _check_size(total)
        yield value


def _check_arguments(name: str, value: Any, arguments: list[Any]) -> None:
    """Refuses what a filter or method could make too much of."""
    counts = [abs(count) for count in arguments if isinstance(count, int)]
    if name not in _ANY_COUNT and max(counts, default=0) > MAX_COUNT:
        raise LimitError(f"{name} is given a number over {MAX_COUNT}")
    if any(isinstance(argument, Namespace) for argument in (value, *arguments)):
        raise LimitError("a namespace is no value")
    if name == "format" and _WIDE.search(str(value)):
        raise LimitError("a format asks for a wide field")
    if name == "replace" and len(arguments) > 1:
        old, new = (str(argument) for argument in arguments[:2])
        _check_size(str(value).count(old) * len(new))


def _check_size(size: int) -> None:
    if size > MAX_VALUE:
        raise LimitError(f"a value is over {MAX_VALUE} characters large")


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test that costs a step, and whose arguments and value are looked at."""
    passes = int(getattr(function, "jinja_pass_arg", None) is not None)

    @wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        value, *rest = args[passes:]
        _check_arguments(name, value, [*rest, *kwargs.values()])
        if name == "join":
            items = list(value)
            _check_size(len(items) * sum(map(len, filter(_is_text, (*rest, *kwargs.values())))))
            return _checked(function(*args[:passes], items, *rest, **kwargs))
        return _checked(function(*args, **kwargs))

    return counted


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _joined(parts: Iterable[str]) -> str:
    """What comes out of a template or block, as long as it is not too much."""
    out, size = [], 0
    for part in parts:
        size += len(part)
        if size > MAX_OUTPUT:
            raise LimitError(f"it writes over {MAX_OUTPUT} characters")
        out.append(part)
    return "".join(out)


# -- the environment ----------------------------------------------------------------------


class _Generation(Extension):
    """{% generation %}: marks what the assistant says, for training; here just its body."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> Any:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


@pass_context  # so that nothing is put out while compiling
def _finalize(context: Any, value: Any) -> Any:
    size_of(value)
    return value


class _Sandbox(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset(("+", "*", "**", "%"))
    concat = staticmethod(_joined)

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
            finalize=_finalize,
            extensions=[loopcontrols, _Generation],
        )
        self.globals.pop("lipsum")
        self.globals |= {"raise_exception": _raise_exception, "strftime_now": _strftime_now}
        self.filters |= {"tojson": _tojson, "#each": _each, "#value": _checked}
        tables: tuple[dict[str, Any], ...] = (self.filters, self.tests)
        for table in tables:
            for name in table:
                if not name.startswith("#"):
                    table[name] = _counted(name, table[name])

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        safe: bool = super().is_safe_attribute(obj, attr, value)
        return safe and attr not in _REFUSED

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        method = getattr(obj, "__wrapped__", obj)  # str.format is wrapped by jinja2
        if isinstance(method, BuiltinMethodType):
            name, owner = method.__name__, method.__self__
            if name == "join" and isinstance(owner, str) and args:
                args = (list(args[0]),)
                _check_size(len(args[0]) * len(owner))
            _check_arguments(name, owner, [*args, *kwargs.values()])
        with _budget.get().call():
            return _checked(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if isinstance(left, Namespace) or isinstance(right, Namespace):
            raise LimitError("a namespace is no value")
        if operator == "%" and isinstance(left, str) and _WIDE.search(left):
            raise LimitError("a format asks for a wide field")
        if operator == "*" and isinstance(left, int) != isinstance(right, int):
            values, times = (left, right) if isinstance(right, int) else (right, left)
            _check_size(size_of(values) * times)
        if operator == "**" and isinstance(right, int):
            _check_size((size_of(left) + 1) * abs(right))
        return _checked(super().call_binop(context, operator, left, right))


def _raise_exception(message: str) -> None:
    raise TemplateError(message)


def _strftime_now(format: str) -> str:
    if _WIDE.search(format):
        raise LimitError("a format asks for a wide field")
    return datetime.now().strftime(format)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Not jinja2's own, which escapes for HTML."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
