"""Check the package against llama.cpp's answers: ../shared/reference, and the sample in tests/data.

    python -m tests.reference [NAME...]     a line a file: answers checked, answers wrong, the first

../shared/reference/README.md describes the files. REFERENCE names another folder than ../shared, or
one that does not exist: the tests marked `reference` are then skipped, as in a clone alone.
"""

import hashlib
import json
import os
import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer, TokError

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
SAMPLES = ROOT / "web" / "samples"
SHARED = Path(os.environ.get("REFERENCE") or ROOT.parent / "shared")
NEEDS_SHARED = pytest.mark.reference  # tests/conftest.py skips these tests without SHARED
SAMPLE = DATA / "reference"
FULL = SHARED / "reference"

Row = dict[str, Any]

MODES = {"ids": (False, False), "ids_special": (True, False), "ids_special_parsed": (True, True)}
DECODED = {
    "text_of": {},
    "text_of_unparsed": {"unparse_special": True},
    "text_of_stripped": {"remove_special": True},
}
FLAGS = ("add_bos", "add_eos", "add_sep")
TYPES = ("NONE", "SPM", "BPE", "WPM", "UGM", "RWKV", "PLAMO2", "TEST", "PLAMO3")


@dataclass
class Report:
    """How many answers of a file were held against ours, and what was wrong."""

    name: str
    checked: int = 0
    wrong: list[str] = field(default_factory=list)

    def same(self, what: str, ours: Callable[[], object], theirs: object) -> None:
        self.checked += 1
        try:
            got = ours()
        except Exception as error:
            got = repr(error)
        if got != theirs:
            self.wrong.append(f"{what}: got {str(got)[:90]}, want {str(theirs)[:90]}")

    def __str__(self) -> str:
        first = f"; first: {self.wrong[0]}" if self.wrong else ""
        return f"{self.name}: {self.checked} checked, {len(self.wrong)} wrong{first}"


# -- files --------------------------------------------------------------------------------


def names(where: Path) -> list[str]:
    """The files of answers in a folder that `check` understands."""
    found = sorted(path.stem for path in where.glob("*.jsonl"))
    return [name for name in found if not name.startswith("field-reports")]


def rows(where: Path, name: str) -> list[Row]:
    with (where / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def texts(where: Path) -> list[str]:
    """The texts that the rows of every file are answers to."""
    return [row["text"] for row in rows(where, "gpt-2")[1:]]


FOLDERS = (SAMPLES, DATA / "vocabs", SHARED / "vocabs")


def vocab_path(name: str) -> Path:
    """Where NAME.gguf is: with the page, with the tests, else in ../shared."""
    paths = [folder / f"{name}.gguf" for folder in FOLDERS]
    return next((path for path in paths if path.exists()), paths[-1])


def vocab_names() -> list[str]:
    """The names of all files for which `vocab_path` finds a vocabulary."""
    return sorted({path.stem for folder in FOLDERS for path in folder.glob("*.gguf")})


def in_clone(name: str) -> bool:
    """Whether the repository itself has NAME.gguf."""
    return SHARED not in vocab_path(name).parents


def vocabs(*wanted: str) -> list[Any]:
    """Names of vocabularies as parameters of a test. Those that need ../shared are marked."""
    return [pytest.param(name, marks=() if in_clone(name) else NEEDS_SHARED) for name in wanted]


@lru_cache(maxsize=4)
def sample_vocab(name: str) -> Tokenizer:
    """The tokenizer of a vocabulary that a clone alone has."""
    assert in_clone(name), f"{name}.gguf is not in the repository"
    return Tokenizer.from_gguf(vocab_path(name))


# -- checks -------------------------------------------------------------------------------


def check(where: Path, name: str) -> Report:
    """Every answer in NAME.jsonl of a folder."""
    report = Report(name)
    if name.startswith("pre-on-"):
        check_pre(report, where, name.removeprefix("pre-on-"))
    elif name.startswith("bytes-"):
        check_bytes(report, rows(where, name), name.removeprefix("bytes-"))
    elif name == "corpus":
        check_corpus(report, rows(where, name))
    else:
        check_vocab(report, rows(where, name), Tokenizer.from_gguf(vocab_path(name)))
    return report


def encodes(tok: Tokenizer, text: str) -> bool:
    return bool(tok.encode(text))


def raw(value: str | dict[str, str]) -> bytes:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode()


def check_vocab(report: Report, answers: list[Row], tok: Tokenizer) -> None:
    head, *answers = answers
    check_head(report, head, tok)
    for row in answers:
        if row.get("aborts"):  # llama.cpp does; we do not
            report.same(f"encode {row['text']!r}", partial(encodes, tok, row["text"]), True)
        else:
            check_text(report, row, tok)


def check_head(report: Report, head: Row, tok: Tokenizer) -> None:
    report.same("type", lambda: (tok.type, tok.n_vocab), (TYPES[head["type"]], head["n_tokens"]))
    report.same("eog", lambda: sorted(tok.eog_ids), sorted(head["eog"]))
    check_special(report, head["special"], tok)
    for token, want in head["attr"].items():
        report.same(f"attr of {token}", partial(tok.vocab.attrs.__getitem__, int(token)), want)
    for key, special in (("piece", True), ("piece_plain", False)):
        for token, want in head[key].items():
            piece = partial(tok.token_to_piece, int(token), special=special)
            report.same(f"{key} of {token}", piece, raw(want))


def check_special(report: Report, special: dict[str, int], tok: Tokenizer) -> None:
    for key, want in special.items():
        if key in FLAGS:
            report.same(key, partial(getattr, tok.vocab.flags, key), want)
        elif key != "nl":  # is no part of the API
            report.same(key, partial(tok.special_ids.get, key, -1), want)


def check_text(report: Report, row: Row, tok: Tokenizer) -> None:
    text, ids = row["text"], row["ids"]
    for key, (add, parse) in MODES.items():
        ids = row.get(key, ids)
        encode = partial(tok.encode, text, add_special=add, parse_special=parse)
        report.same(f"{key} of {text[:24]!r}", encode, ids)
    for key, options in DECODED.items():
        if key in row:
            shown = as_older_build(ids, tok) if key != "text_of_unparsed" else ids
            decode = partial(tok.decode_bytes, shown, **options)
            report.same(f"{key} {ids[:8]}", decode, raw(row[key]))


def as_older_build(ids: list[int], tok: Tokenizer) -> list[int]:
    """Ids without the "</s>" of PLaMo-2, for `text_of` and `text_of_stripped`.

    These were made by an older build of llama.cpp (npm @node-llama-cpp 3.22.1), where that token
    was still a hidden one that ends a generation. In b11549, which all else is of, it is a normal
    token (`_unmark_s` of the loader): the headers say so (attr 4, `piece_plain` "</s>"), and
    `check_head` holds our piece against theirs.
    """
    end = tok.token_to_id("</s>")
    return [i for i in ids if i != end] if tok.type == "PLAMO2" else ids


def check_bytes(report: Report, answers: list[Row], name: str) -> None:
    tok = Tokenizer.from_gguf(vocab_path(name))
    for row in answers:
        data = bytes.fromhex(row["hex"])
        report.same(row["hex"], partial(tok.encode, data, add_special=False), row["ids"])


def check_pre(report: Report, where: Path, name: str) -> None:
    """Every pre-tokenizer over one vocabulary."""
    given = texts(where)
    file = GGUFFile.open(vocab_path(name))
    for row in rows(where, report.name):
        named = replace(file, metadata={**file.metadata} | pre_keys(row["pre"]))
        if "refused" in row:
            report.same(row["pre"], partial(refused, named), True)
            continue
        tok = Tokenizer(named)
        check_special(report, row["special"], tok)
        for text, ids in zip(given, row["ids"], strict=True):
            encode = partial(tok.encode, text, add_special=False)
            report.same(f"{row['pre']} {text[:24]!r}", encode, ids)


def pre_keys(pre: str) -> dict[str, str]:
    name = "" if pre == "(missing)" else pre
    return {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": name}


def refused(file: GGUFFile) -> bool:
    try:
        Tokenizer(file)
    except TokError:
        return True
    return False


def check_corpus(report: Report, answers: list[Row]) -> None:
    """Whole documents, by the digest of their ids."""
    loaded = lru_cache(maxsize=1)(Tokenizer.from_gguf)  # the rows of a vocabulary are together
    for row in answers:
        tok = loaded(vocab_path(row["vocab"].removesuffix(".gguf")))
        text = (SHARED / "corpus" / row["doc"]).read_bytes().decode()
        report.same(f"{row['vocab']} {row['doc']}", partial(digest, tok, text), row["sha256"])


def digest(tok: Tokenizer, text: str) -> str:
    ids = array("i", tok.encode(text, add_special=False))
    return hashlib.sha256(ids.tobytes()).hexdigest()


def main(wanted: list[str]) -> int:
    where = FULL if FULL.is_dir() else SAMPLE
    checked = wrong = 0
    for name in wanted or names(where):
        report = check(where, name)
        print(report, flush=True)
        checked += report.checked
        wrong += len(report.wrong)
    print(f"{wrong} wrong of {checked} answers in {where}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
