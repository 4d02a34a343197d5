"""tests/data/traces.json: the traces that the page's own tests draw, as `explain` writes them."""

import json
from typing import Any

from tests.reference import DATA, sample_vocab

PATH = DATA / "traces.json"
TEXTS = (  # vocabulary, text
    ("gpt-2", " unbelievable"),
    ("mistral-v1", "unbelievable"),
    ("gpt-2", "1234567"),
    ("mistral-v1", "1234567"),
    ("gpt-2", "你好"),
    ("mistral-v1", "你好"),
    ("mistral-v1", "a𓀀"),
    ("gpt-2", "a𓀀"),
    ("gpt-2", "Hi<|endoftext|>"),
    ("gpt-2", "naïve café"),
    ("t5", "tokenization"),
    ("t5", "naïve café"),
    ("t5", "你好"),
    ("bert-bge", "Tokenization"),
    ("bert-bge", "你"),
    ("bert-bge", "Café"),
    ("rwkv", "🙂"),
    ("rwkv", "unbelievably"),
)


def traced(name: str, text: str) -> dict[str, Any]:
    """A trace with the bytes of its tokens, in hex."""
    tok = sample_vocab(name)
    trace = tok.explain(text, add_special=False, parse_special=True)
    steps = [step for word in trace.words for step in word.steps]
    ids = {*trace.ids, *(token for step in steps for token in getattr(step, "shorter", ()))}
    pieces = {str(token): tok.token_to_piece(token).hex() for token in sorted(ids)}
    unknown = tok.special_ids.get("unk")
    shared = {"name": name, "text": text, "unknown": unknown, "pieces": pieces}
    return shared | {"trace": trace.as_dict()}


def written() -> str:
    rows = (json.dumps(traced(name, text), ensure_ascii=True) for name, text in TEXTS)
    return "[\n" + ",\n".join(rows) + "\n]\n"


def test_the_traces_of_the_page_tests_are_current() -> None:
    assert PATH.read_text(encoding="utf8") == written(), "run: python -m tests.test_trace_samples"


if __name__ == "__main__":
    PATH.write_text(written(), encoding="utf8")
