"""RWKV as published: a trie over bytes, the longest match from each place. Slow and plain."""

from collections.abc import Iterable
from typing import Any

Trie = dict[int | None, Any]
SHORT_ESCAPES = {ord("t"): 9, ord("n"): 10, ord("r"): 13}


def unescape(text: str) -> bytes:
    """A state machine, byte for byte: what an escaped token text stands for."""
    out = bytearray()
    escaping, digits, value = False, 0, 0
    for byte in text.encode("utf-8", "surrogateescape"):
        if digits:
            value = value * 16 + (byte - ord("a") + 10 if ord("a") <= byte < 128 else byte - 48)
            digits -= 1
            if not digits:
                out.append(value % 256)
                value = 0
        elif escaping:
            escaping = False
            if byte == ord("x"):
                digits = 2
            else:
                out.append(SHORT_ESCAPES.get(byte, byte))
        elif byte == ord("\\"):
            escaping = True
        else:
            out.append(byte)
    return bytes(out)


def trie_of(texts: Iterable[str]) -> Trie:
    """Nested dicts, byte to node; a node's id, if a token ends there, is under None."""
    root: Trie = {}
    for id_, text in enumerate(texts):
        node = root
        for byte in unescape(text):
            node = node.setdefault(byte, {})
        node[None] = id_
    return root


def spans(trie: Trie, unknown: int | None, text: str) -> list[tuple[int, int, int]]:
    """(id, start, end) in bytes; with no unknown id (None) an unknown byte has id -1."""
    data = text.encode("utf-8", "surrogateescape")
    found = []
    start = 0
    while start < len(data):
        id_, end = -1 if unknown is None else unknown, start + 1
        node: Any = trie
        for at in range(start, len(data)):
            node = node.get(data[at])
            if node is None:
                break
            if None in node:
                id_, end = node[None], at + 1
        found.append((id_, start, end))
        start = end
    return found
