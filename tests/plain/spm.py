"""SentencePiece as llama.cpp's `llm_tokenizer_spm_session` does it, on bytes: nothing is cut,
nothing remembered, and each merge looks at every pair again."""

from itertools import pairwise

from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import Vocab

SPACE = "\u2581".encode()
CLAIMED = (1,) * 12 + (2, 2, 3, 4)  # bytes of a character, by the first four bits of its first


def encode(vocab: Vocab, text: bytes) -> list[int]:
    """The ids of one fragment, its space prefix included; -1 where llama.cpp would give up."""
    token_of = {utf8(token): i for i, token in enumerate(vocab.texts)}
    symbols = split(text.replace(b" ", SPACE))
    while found := candidates(symbols, token_of, vocab.scores):
        i = -max(found)[1]
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
    ids = []
    for symbol in symbols:
        if symbol in token_of:
            ids.append(token_of[symbol])
        else:
            ids += [byte_token(byte, token_of) for byte in symbol]
    return ids


def split(data: bytes) -> list[bytes]:
    symbols = []
    while data:
        size = CLAIMED[data[0] >> 4]
        symbols.append(data[:size])
        data = data[size:]
    return symbols


def candidates(
    symbols: list[bytes], token_of: dict[bytes, int], scores: memoryview
) -> list[tuple[float, int]]:
    """(score, -place) of each pair of neighbours that together are a token."""
    pairs = [left + right for left, right in pairwise(symbols)]
    return [(scores[token_of[pair]], -i) for i, pair in enumerate(pairs) if pair in token_of]


def byte_token(byte: int, token_of: dict[bytes, int]) -> int:
    return token_of.get(b"<0x%02X>" % byte, token_of.get(bytes([byte]), -1))
