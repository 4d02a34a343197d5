"""Jinja with the options, globals, filters and extensions that transformers gives chat templates.

The sandbox keeps a template from Python's internals and from changing its inputs. It does not
limit time or memory: a template is a program, so run an untrusted one in a process with a timeout.
"""

from __future__ import annotations

import json
import re
import traceback
from datetime import datetime
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from pyodide_tok.errors import ChatError

# Ollama's templates are Go's text/template; Jinja accepts none of these after "{{".
_GO_ACTION = re.compile(r"\{\{-?\s*(?:[.$]|(?:if|else|range|with|template|define|block)\b)")


class Renderer:
    """A compiled template: called with variables, it returns the text. Raises `ChatError`."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        try:
            self._template = _ENVIRONMENT.from_string(text)
        except Exception as error:
            raise self._failure(error, "is not valid Jinja", _hint(text)) from error

    def __call__(self, variables: dict[str, Any]) -> str:
        try:
            return self._template.render(variables)
        except Exception as error:
            refused = type(error) is TemplateError
            problem = "rejects these messages" if refused else "fails on these messages"
            raise self._failure(error, problem) from error

    def _failure(self, error: Exception, problem: str, hint: str = "") -> ChatError:
        line = error.lineno if isinstance(error, TemplateSyntaxError) else _line(error)
        where = f" at line {line}" if line else ""
        kind = "" if isinstance(error, TemplateError) else f"{type(error).__name__}: "
        message = f"The chat template {self._name!r} {problem}{where}: {kind}{error}"
        message = f"{message.rstrip('.')}. {hint}" if hint else message
        return ChatError(message, template=self._name, line=line)


def _line(error: Exception) -> int | None:
    """The template's line that raised; jinja2 writes it into the traceback."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return next((frame.lineno for frame in frames if frame.filename == "<template>"), None)


def _hint(text: str) -> str:
    if not _GO_ACTION.search(text):
        return ""
    return "It looks like a Go template of Ollama: use the Jinja template of the original model."


class _Generation(Extension):
    """{% generation %}: marks what the assistant says, for training. Its body has its own scope."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> Any:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_said"), [], [], body, lineno=line)

    def _said(self, caller: Any) -> Any:
        return caller()


class _Dict:
    """The global `dict`; an instance, because the class itself has more than a template needs."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class _Namespace(Namespace):
    """The global `namespace`, without names that begin with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # so that `self` can be a name
        self, *rest = args
        names = dict(*rest, **kwargs)
        for name in names:
            _check_name(name)
        Namespace.__init__(self, names)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace accepts no name that begins with '_', such as {name!r}")


def _raise_exception(message: str) -> None:
    raise TemplateError(message)


def _strftime_now(format: str) -> str:
    return datetime.now().strftime(format)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON without the HTML escapes of jinja2's own filter."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _environment() -> ImmutableSandboxedEnvironment:
    extensions = [_Generation, loopcontrols]
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=extensions
    )
    environment.filters["tojson"] = _tojson
    environment.globals |= {
        "raise_exception": _raise_exception,
        "strftime_now": _strftime_now,
        "dict": _Dict(),
        "namespace": _Namespace,
    }
    return environment


_ENVIRONMENT = _environment()
