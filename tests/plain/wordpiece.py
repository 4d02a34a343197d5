"""WordPiece straight from the algorithm: byte by byte, every length tried."""

from collections.abc import Mapping

from pyodide_tok.text import codepoints as cp
from pyodide_tok.vocab.vocab import Vocab


def encode(vocab: Vocab, text: str) -> list[int | None]:
    """The ids of a fragment."""
    tokens = {t.encode("utf-8", "surrogateescape"): i for t, i in vocab.token_to_id.items()}
    ids: list[int | None] = []
    for word in words(text, vocab.flags.lowercase, vocab.flags.strip_accents):
        ids += encode_word(tokens, "\u2581".encode() + word.encode(), vocab.special.get("unk"))
    return ids


def encode_word(tokens: Mapping[bytes, int], word: bytes, unknown: int | None) -> list[int | None]:
    ids: list[int | None] = []
    at = 0
    while at < len(word):
        for end in range(len(word), at, -1):
            if word[at:end] in tokens:
                ids.append(tokens[word[at:end]])
                at = end
                break
        else:
            return [] if unknown is None else [unknown]
    return ids


def words(text: str, lowercase: bool, strip_accents: bool) -> list[str]:
    """Normalised words."""
    found = [""]
    for char in cp.lenient(text):
        if strip_accents:
            char = cp.nfd_base(char)
        kind = cp.category(ord(char))
        if cp.is_whitespace(ord(char)):
            found.append("")
        elif char in "\0\ufffd" or kind == "C" or (strip_accents and kind == "M"):
            continue
        elif kind == "P" or (kind == "S" and char < "\x7f") or is_chinese(ord(char)):
            found += [cp.to_lower(char) if lowercase else char, ""]
        else:
            found[-1] += cp.to_lower(char) if lowercase else char
    return [word for word in found if word]


def is_chinese(point: int) -> bool:
    return (
        0x4E00 <= point <= 0x9FFF
        or 0x3400 <= point <= 0x4DBF
        or 0x20000 <= point <= 0x2A6DF
        or 0x2A700 <= point <= 0x2B73F
        or 0x2B740 <= point <= 0x2B81F
        or 0x2B920 <= point <= 0x2CEAF
        or 0xF900 <= point <= 0xFAFF
        or 0x2F800 <= point <= 0x2FA1F
    )
