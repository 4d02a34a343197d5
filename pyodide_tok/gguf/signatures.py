"""How a file begins: GGUF, or what it is instead; and where a GGUF file ends too early."""

from __future__ import annotations

import re

from pyodide_tok.errors import GGUFError, TruncatedError

MAX_HEADER = 1 << 30

_CONVERT = "Convert the model to GGUF, or take its .gguf file."
_OLD = "It is from before GGUF: convert it with an old llama.cpp, or take a newer .gguf file."
_FOREIGN = tuple(
    (re.compile(pattern, re.DOTALL | re.IGNORECASE), what, advice)
    for pattern, what, advice in (
        (rb".{5}\0\0\0\{", "a safetensors file", _CONVERT),
        (rb"PK\x03\x04", "a zip archive, perhaps a PyTorch checkpoint", _CONVERT),
        (rb"\x80[\x02-\x05]", "a Python pickle, perhaps a PyTorch checkpoint", _CONVERT),
        (rb"\x89HDF", "an HDF5 file, perhaps a Keras model", _CONVERT),
        (rb"\n.\n.<unk>", "a SentencePiece model (tokenizer.model)", _CONVERT),
        (rb"lmgg|ggml", "a legacy GGML model", _OLD),
        (rb"fmgg|ggmf", "a legacy GGMF model", _OLD),
        (rb"tjgg|ggjt", "a legacy GGJT model", _OLD),
        (rb"algg|ggla", "a legacy GGLA adapter", _OLD),
        (rb"FUGG", "GGUF with its magic reversed", "Write it again: the magic is always GGUF."),
        (rb"version https://git-lfs", "a Git LFS pointer, not the file", "Run `git lfs pull`."),
        (
            rb"\x1f\x8b|\x28\xb5\x2f\xfd|BZh|\xfd7zXZ|7z\xbc\xaf",
            "a compressed file",
            "Unpack it first.",
        ),
        (rb"(\xef\xbb\xbf)?\s*<", "an HTML or XML page", "Download the file itself."),
        (rb"(\xef\xbb\xbf)?\s*[{\[]", "JSON", "Take the model's .gguf file."),
    )
)


def check_signature(head: bytes) -> None:
    """Raises `GGUFError` when the first bytes are not those of a GGUF file."""
    if len(head) < 8 and b"GGUF".startswith(head[:4]):
        raise truncated(len(head), 16)
    if head.startswith(b"GGUF"):
        return
    for begins, what, advice in _FOREIGN:
        if begins.match(head):
            raise GGUFError(f"This is not a GGUF file, it looks like {what}. {advice}", position=0)
    raise GGUFError(f"This is not a GGUF file: it begins with {head[:4]!r}.", position=0)


def truncated(size: int, need: int) -> GGUFError:
    """The error for a header that is longer than the `size` bytes which are here."""
    if need > MAX_HEADER:
        message = f"the header claims {need:,} bytes or more, over the limit of {MAX_HEADER:,}"
        return GGUFError(message, position=size)
    if not size:
        message = f"The file is empty: need at least {need} bytes. Is the download complete?"
        return TruncatedError(message, need=need, position=0)
    message = (
        f"The file ends inside its header: need at least {need:,} bytes, got {size:,}. Is the"
        " download complete?"
    )
    return TruncatedError(message, need=need, position=size)
