"""The command line `pyodide-tok`: which arguments there are, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from pyodide_tok import __version__
from pyodide_tok.cli import commands, originals
from pyodide_tok.cli.models import models
from pyodide_tok.cli.terminal import PROGRAM, Terminal, harmless
from pyodide_tok.cli.texts import STDIN, stdin_uses
from pyodide_tok.errors import TokError

_DESCRIPTION = """\
llama.cpp's tokens for GGUF models. A MODEL is a path, an http(s) address, hf:USER/REPO[:QUANT]
or ollama:NAME[:TAG]. "-" is standard input, as a MODEL, TEXT, FILE or ID."""
_EPILOG = """\
exit codes:
  0    done
  1    a model, file or text cannot be used, or the output cannot be written:
       one line on stderr for each
  2    wrong arguments
  130  interrupted
  141  whoever read the output has gone
"""

Command = Callable[[Namespace, Terminal], int]


class _Parser(ArgumentParser):
    """Errors in one line; help that cannot be written is an error, which argparse ignores."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {harmless(message)}; {self.prog} --help tells more\n")


def _encoding(name: str) -> str:
    try:
        b"a".decode(name)
    except UnicodeError:
        return name  # UTF-16 has no text of one byte
    except (LookupError, ValueError) as error:
        raise ArgumentTypeError(f"{name!r} is not a text encoding that Python knows") from error
    return name


_OPTIONS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "pre": (("--pre",), {"metavar": "NAME", "help": "overrides tokenizer.ggml.pre"}),
    "pattern": (
        ("--pattern",),
        {"action": "append", "metavar": "REGEX", "help": "splits words by this; may come again"},
    ),
    "text": (
        ("text",),
        {"nargs": "?", "metavar": "TEXT", "help": "the text; left out or -: stdin"},
    ),
    "file": (
        ("-f", "--file"),
        {"nargs": "+", "action": "extend", "metavar": "FILE", "help": "text files; - is stdin"},
    ),
    "encoding": (
        ("--encoding",),
        {"metavar": "NAME", "type": _encoding, "help": "of files and stdin, if not UTF-8"},
    ),
    "escape": (
        ("-e", "--escape"),
        {"action": "store_true", "help": r"TEXT has escapes: \n \t \r \0 \xNN \uNNNN"},
    ),
    "special": (
        ("--no-special", "--no-bos"),
        {"dest": "special", "action": "store_false", "help": "add no BOS, EOS or SEP"},
    ),
    "parse_special": (
        ("--parse-special",),
        {"action": "store_true", "help": "texts of control tokens become those tokens"},
    ),
}
_FIXES = (
    ("--special", "NAME=TOKEN", "a special token, as eos='<|im_end|>' or eos=2"),
    ("--type", "TOKEN=TYPE", "normal, unknown, control, user-defined, unused or byte"),
    ("--set", "KEY=VALUE", "any number, truth value or string of the metadata"),
    ("--remove", "KEY", "a key to leave out"),
)
_TEXT = ("pre", "pattern", "text", "file", "encoding", "escape", "special", "parse_special")


def parser() -> ArgumentParser:
    """The arguments of all subcommands."""
    main = _Parser(
        PROGRAM,
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    main.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    subparsers = main.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, run: Command, what: str, options: Sequence[str], *forms: str) -> _Parser:
        sub: _Parser = subparsers.add_parser(name, help=what, description=what)
        sub.set_defaults(run=run)
        if name == "compare":
            sub.add_argument("models", nargs=2, metavar="MODEL")
        elif name != "models":
            sub.add_argument("model", metavar="MODEL")
        for option in options:
            flags, details = _OPTIONS[option]
            sub.add_argument(*flags, **details)
        sub.add_argument("--format", choices=("plain", *forms), default="plain")
        if "json" in forms:
            sub.add_argument("--json", dest="format", action="store_const", const="json")
        sub.add_argument("--color", choices=("auto", "always", "never"), default="auto")
        sub.add_argument("-q", "--quiet", action="store_true", help="no warnings, no progress")
        return sub

    encode = add("encode", commands.encode, "text to ids", _TEXT, "json", "csv", "llama")
    encode.add_argument("--ids", action="store_true", help="as llama-tokenize: [1, 2, 3]")
    encode.add_argument("--show-count", action="store_true", help="as llama-tokenize: the total")
    decode = add("decode", commands.decode, "ids to text", ("pre", "pattern"), "json")
    decode.add_argument("ids", nargs="*", metavar="ID", help="1 2 3 or [1, 2, 3]; left out: stdin")
    decode.add_argument("-f", "--file", metavar="FILE", help="a file with ids")
    decode.add_argument("--remove-special", action="store_true", help="without added BOS and EOS")
    decode.add_argument("--unparse-special", action="store_true", help="write control tokens out")
    add("count", commands.count, "number of tokens, of many files too", _TEXT, "json", "csv")
    add(
        "inspect",
        commands.inspect_file,
        "what a file contains, and its problems",
        ("pre",),
        "json",
        "csv",
    )
    add("models", models, "the GGUF files on this machine, and their problems", (), "json", "csv")
    add("explain", commands.explain, "how each word is split, step by step", _TEXT, "json")
    add("compare", commands.compare, "two models on the same text", _TEXT, "json", "csv")
    what = "whether a file splits text as the model's own tokenizer.json"
    verify = add("verify", originals.verify_model, what, ("pre", "pattern"), "json")
    verify.add_argument("original", metavar="TOKENIZER_JSON")
    verify.add_argument("-f", "--file", nargs="+", metavar="FILE", help="your own texts, too")
    fix = add("fix", originals.fix_model, "a copy of a file with corrected metadata", ("pre",))
    fix.add_argument("out", metavar="OUT")
    for flag, metavar, text in _FIXES:
        fix.add_argument(flag, action="append", metavar=metavar, help=text)
    fix.add_argument("--chat-template", metavar="FILE", help="the chat template, in Jinja")
    fix.add_argument("--like", metavar="TOKENIZER_JSON", help="all that verify finds to change")
    return main


def _arguments(argv: Sequence[str] | None) -> Namespace:
    args, rest = parser().parse_known_args(argv)
    if rest and not _is_late(args, rest):
        parser().error(f"unrecognized arguments: {' '.join(rest)}")
    return args


def _is_late(args: Namespace, rest: Sequence[str]) -> bool:
    """Whether `rest` is TEXT or IDs, which argparse before Python 3.13 leaves behind an option."""
    words = rest[1:] if rest[0] == "--" else rest
    if words is rest and any(word.startswith("-") and word != STDIN for word in words):
        return False
    if vars(args).get("ids") == []:
        args.ids = words
    elif "text" in args and args.text is None and len(words) == 1:
        (args.text,) = words
    else:
        return False
    return True


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line; returns the exit code."""
    terminal = Terminal()
    if sys.stdout is None:
        terminal.error("Standard output is closed, so there is nowhere to write to.")
        return commands.FAILED
    try:
        return _run(argv)
    except TokError as error:
        terminal.error(str(error))
        return commands.FAILED
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        if not error.filename:
            _drop_output()
        where = error.filename or "Cannot write"
        terminal.error(f"{where}: {error.strerror or error}")
        return commands.FAILED
    except KeyboardInterrupt:
        return 130


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = _arguments(argv)
        if stdin_uses(args) > 1:
            parser().error("- is standard input, and can be read once only")
        code: int = args.run(args, Terminal(args.color, args.quiet))
        return code
    finally:
        sys.stdout.flush()


def _drop_output() -> None:
    """What is still in the buffer must not be written when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
