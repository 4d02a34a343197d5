"""Many texts at once as arrays (extra `numpy`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pyodide_tok.errors import EncodeError, need_module
from pyodide_tok.vocab.vocab import Vocab


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts as rows of one array.

    input_ids: int32, shape (texts, longest). attention_mask: int8, the same shape, 1 for a token
    and 0 for padding.
    """

    input_ids: Any
    attention_mask: Any

    def __len__(self) -> int:
        return len(self.input_ids)


def as_arrays(
    rows: list[list[int]],
    vocab: Vocab,
    return_tensors: Literal["np"] | None,
    *,
    padding: bool = False,
    padding_side: Literal["right", "left"] = "right",
) -> Batch:
    """Rows of ids as arrays.

    padding: shorter rows are filled up, at `padding_side`, with the padding token (without one:
    EOS, else id 0); else rows of several lengths raise `EncodeError`. Raises
    `OptionalDependencyError` without numpy.
    """
    if return_tensors != "np" or padding_side not in ("right", "left"):
        raise EncodeError("padding wants return_tensors='np', and a padding_side 'right' or 'left'")
    np = need_module("numpy", "numpy", "return_tensors='np'")
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    longest = int(sizes.max(initial=0))
    if not padding and (sizes != longest).any():
        raise EncodeError("the texts have different numbers of tokens: pass padding=True")
    places = np.arange(longest)
    is_token = places < sizes[:, None]
    if padding_side == "left":
        is_token = is_token[:, ::-1]
    filler = vocab.special.get("pad", vocab.special.get("eos", 0))
    ids = np.full((len(rows), longest), filler, dtype=np.int32)
    ids[is_token] = [token for row in rows for token in row]
    return Batch(ids, is_token.astype(np.int8))
