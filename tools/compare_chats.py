"""Compares rendered chats with transformers on every template in some folders.

    python -m tools.compare_chats DIR...     every *.jinja below these folders
    python -m tools.compare_chats --record   writes tests/data/chats/cases.json

transformers must be installed. Each template renders the chats of tests/data/chats/chats.json, with
each set of options there.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

from pyodide_tok.chat.templates import ChatTemplates
from pyodide_tok.errors import ChatError
from pyodide_tok.tokenizer import Tokenizer

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests/data/chats"
CHATS = json.loads((DATA / "chats.json").read_text("utf-8"))
WITH_ALL_OPTIONS = ("system", "called", "called with text")  # of the chats that are recorded
VOCAB = Tokenizer.from_gguf(ROOT / "web/samples/mistral-v1.gguf").vocab
GIVEN: dict[str, Any] = {"add_generation_prompt": True}
GIVEN |= {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
FAILED = None  # what stands for a chat that a template rejects or fails on


def ours(templates: ChatTemplates, messages: Any, options: dict[str, Any]) -> str | None:
    try:
        return templates.render(messages, "default", {**GIVEN, **options})
    except ChatError:
        return FAILED


def transformers(text: str, messages: Any, options: dict[str, Any]) -> str | None:
    """As PreTrainedTokenizerBase.apply_chat_template renders it."""
    from transformers.utils import chat_template_utils as utils

    chat = utils._normalize_chat_messages(messages)
    try:
        texts, _ = utils.render_jinja_template([chat], chat_template=text, **{**GIVEN, **options})
    except Exception:
        return FAILED
    return str(texts[0])


def cases() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Name, messages, options."""
    for (chat, messages), (how, options) in product(
        CHATS["chats"].items(), CHATS["options"].items()
    ):
        yield f"{chat} / {how}", messages, options


def main(arguments: list[str]) -> int:
    if arguments == ["--record"]:
        return record()
    paths = sorted(path for folder in arguments for path in Path(folder).rglob("*.jinja"))
    each = [compared(path.read_text("utf-8"), str(path)) for path in paths]
    usable = [counts for counts in each if counts["same"]]
    total = sum(each, Counter())
    print(f"{len(usable)} templates: compared {total['same']}, different {total['different']}.")
    print(
        f"Both fail on {total['failed']} chats, and on all of {len(each) - len(usable)} templates."
    )
    print(f"transformers alone fails on {total['parsed']}, whose tool calls have JSON text.")
    return min(total["different"], 1)


def compared(text: str, label: str) -> Counter[str]:
    """How many chats of a template are the same and different; prints the different ones."""
    counts: Counter[str] = Counter()
    templates = ChatTemplates({"tokenizer.chat_template": text}, VOCAB)
    for name, messages, options in cases():
        minute = datetime.now().minute
        wanted = transformers(text, messages, options)
        found = ours(templates, messages, options)
        if datetime.now().minute != minute:  # a template may write the time
            continue
        counts[kind := kind_of(name, found, wanted)] += 1
        if kind == "different":
            print(f"{label}: {name}\n  transformers: {wanted!r:.300}\n  ours: {found!r:.300}")
    return counts


def kind_of(name: str, found: str | None, wanted: str | None) -> str:
    if found == wanted:
        return "failed" if wanted is FAILED else "same"
    with_text = wanted is FAILED and name.startswith("called with text")
    return "parsed" if with_text else "different"


def record() -> int:
    """Texts of transformers, and ours where it fails on JSON text as arguments."""
    recorded = []
    for path in sorted((DATA / "templates").glob("*.jinja")):
        text = path.read_text("utf-8")
        templates = ChatTemplates({"tokenizer.chat_template": text}, VOCAB)
        for name, messages, options in cases():
            chat, how = name.split(" / ")
            if how and chat not in WITH_ALL_OPTIONS:
                continue
            wanted = transformers(text, messages, options)
            if wanted is FAILED and chat == "called with text":
                wanted = ours(templates, messages, options)
            recorded.append({"template": path.name, "chat": chat, "options": how, "text": wanted})
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in recorded)
    (DATA / "cases.json").write_text(f"[\n{lines}\n]\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
