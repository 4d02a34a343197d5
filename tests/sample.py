"""Makes tests/data from ../shared: every seventh answer about freely licensed vocabularies.

    python -m tests.sample

The page's own vocabularies (web/samples) are not copied again. tests/data/README.md says where
everything comes from.
"""

import json
import shutil

from tests.reference import DATA, FULL, SAMPLE, SHARED

STEP = 7
WITH_THE_PAGE = ("gpt-2", "mistral-v1", "bert-bge", "t5", "rwkv")
OWN = (
    *("spm-ugly", "spm-ugly-lstrip", "spm-ugly-noprefix", "spm-nolf", "spm-notypes"),
    *("plamo2", "plamo2-edge", "plamo3", "hybriddna", "whitespace", "ugm-nocharsmap", "test"),
)
ONLY_VOCABS = ("probe", "none", "no_vocab", "spm-dup", "spm-shortscores", "spm-shorttypes")
WHOLE = ("bytes-gpt-2", "bytes-bert-bge")


def lines(name: str) -> list[str]:
    return (FULL / f"{name}.jsonl").read_text(encoding="utf-8").removesuffix("\n").split("\n")


def write(name: str, kept: list[str]) -> None:
    (SAMPLE / f"{name}.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")


def probe_line(line: str) -> str:
    """One pre-tokenizer's answers to every seventh text."""
    row = json.loads(line)
    if "ids" in row:
        row["ids"] = row["ids"][::STEP]
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    for folder in (SAMPLE, DATA / "vocabs"):
        folder.mkdir(parents=True, exist_ok=True)
    for name in (*WITH_THE_PAGE, *OWN):
        head, *answers = lines(name)
        write(name, [head, *answers[::STEP]])
    for name in WHOLE:
        write(name, lines(name))
    write("pre-on-probe", [probe_line(line) for line in lines("pre-on-probe")])
    for name in (*OWN, *ONLY_VOCABS):
        shutil.copyfile(SHARED / "vocabs" / f"{name}.gguf", DATA / "vocabs" / f"{name}.gguf")


if __name__ == "__main__":
    main()
