"""The subcommand `models`: the GGUF files on this machine, each with its verdict."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from pyodide_tok.cli.terminal import Terminal
from pyodide_tok.errors import TokError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.stores import Stored, stored
from pyodide_tok.inspection import inspect

_COLUMNS = ("model", "store", "type", "pre", "tokens", "verdict")


def models(args: Namespace, terminal: Terminal) -> int:
    found = stored()
    rows = [_row(model) for model in terminal.progress(found, "Reading")]
    if args.format == "json":
        terminal.json(rows, indent=2)
    elif args.format == "csv":
        terminal.csv(_COLUMNS, [_shown(row) for row in rows])
    elif rows:
        terminal.table([_COLUMNS, *map(_shown, rows)])
    else:
        terminal.line(
            "No GGUF files in the folders of Hugging Face, llama.cpp, LM Studio and Ollama."
            " HF_HOME, LLAMA_CACHE and OLLAMA_MODELS name other folders."
        )
    return 0


def _row(model: Stored) -> dict[str, Any]:
    """The facts of one model; of a file that cannot be read, why."""
    row = {"model": model.name, "store": model.store, "path": model.path}
    try:
        found = inspect(GGUFFile.open(model.path))
    except (TokError, OSError) as error:
        code = getattr(error, "code", "unreadable")
        problems = [{"code": code, "severity": "error", "message": str(error), "fix": ""}]
        return {**row, "type": None, "pre": None, "tokens": None, "problems": problems}
    facts = found.facts.get("tokenizer", {})
    told = {key: facts.get(key) for key in ("type", "pre", "tokens")}
    return {**row, **told, "problems": found.as_dict()["problems"]}


def _shown(row: dict[str, Any]) -> tuple[Any, ...]:
    problems = [f"{problem['severity']} {problem['code']}" for problem in row["problems"]]
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    verdict = problems[0] + more if problems else "no problems"
    tokens = f"{row['tokens']:,}" if row["tokens"] else ""
    return row["model"], row["store"], row["type"] or "", row["pre"] or "", tokens, verdict
