"""Which tokenizer a GGUF file has; if it has none, what it is and which file to open instead."""

from __future__ import annotations

from collections.abc import Mapping

from pyodide_tok.errors import GGUFError, NoTokenizerError, VocabError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.vocab.families import FAMILIES, model_of
from pyodide_tok.vocab.key_types import check_types

_OPEN_BASE = "Open the base model instead."
_OPEN_LANGUAGE_MODEL = "Open the language model that it belongs to instead."
_OPEN_TEXT_ENCODER = "Open its text encoder instead."
_OPEN_OTHER = "Open a language model instead."

# general.type -> what the file is, what to open instead (gguf-py, constants.py, GGUFType)
_TYPES = {
    "adapter": ("a LoRA adapter", _OPEN_BASE),
    "mmproj": ("a projector for images or sound (mmproj)", _OPEN_LANGUAGE_MODEL),
    "imatrix": ("an importance matrix", "Open the model that it was computed for instead."),
}
_IMAGES = ("an image or video model", _OPEN_TEXT_ENCODER)
_VOICE = ("a speech or audio model", _OPEN_LANGUAGE_MODEL)
# architectures of stable-diffusion.cpp, ComfyUI-GGUF, whisper.cpp, llama.cpp's TTS and others
_IMAGE_NAMES = """
aura auraflow chroma cogvideox cosmos flux flux2 hidream hunyuan_video hyvid kandinsky lcm ltxv
ltxv2 lumina2 mochi omnigen omnigen2 ovis_image pig pixart qwen_image sana sd sd1 sd2 sd3 sd3.5 sdxl
svd unet vae wan wan2 z_image
"""
_VOICE_NAMES = """
bark chatterbox csm dia encodec f5-tts kokoro mimi orpheus-codec outetts parler-tts parakeet
pockettts qwen3tts seamless silero-vad snac wav2vec2 wavtokenizer-dec whisper xcodec2
"""
_ARCHITECTURES = {
    "clip": _TYPES["mmproj"],
    "controlvector": ("a control vector", _OPEN_BASE),
    **dict.fromkeys(_IMAGE_NAMES.split(), _IMAGES),
    **dict.fromkeys(_VOICE_NAMES.split(), _VOICE),
}


def model_name(gguf: GGUFFile) -> str:
    """The `tokenizer.ggml.model` to use, see `model_of`.

    Raises `NoTokenizerError`, and `VocabError` for a key of the wrong type.
    """
    if not isinstance(gguf, GGUFFile):
        raise GGUFError("Tokenizer takes a GGUFFile. For a path or bytes call Tokenizer.from_gguf.")
    check_types(gguf)
    name = model_of(gguf.metadata)
    if not name:
        _refuse_other_files(gguf)
    check_types(gguf, FAMILIES[name])
    return name


def _refuse_other_files(gguf: GGUFFile) -> None:
    _refuse_later_part(gguf.metadata)
    by_type = _TYPES.get(_text(gguf.metadata, "general.type"))
    by_architecture = _ARCHITECTURES.get(_text(gguf.metadata, "general.architecture").lower())
    known = by_type or by_architecture
    if known:
        what, advice = known
        raise NoTokenizerError(f"This GGUF is {what}: it has no tokenizer. {advice}")
    names = [tensor.name for tensor in gguf.tensors]
    if names and "token_embd.weight" not in names:
        raise NoTokenizerError(
            "This GGUF is not a language model: it has no tokenizer, and none of its tensors is"
            f" token_embd.weight. {_OPEN_OTHER}"
        )


def _refuse_later_part(metadata: Mapping[str, object]) -> None:
    """Of a model that is split over files, only the first has the tokenizer."""
    part, parts = (metadata.get(f"split.{key}", 0) for key in ("no", "count"))
    if isinstance(part, int) and isinstance(parts, int) and part > 0:
        raise VocabError(
            f"This is part {part + 1} of {parts} of a model, without its tokenizer. Open the first"
            f" part, whose name has -00001-of-{parts:05}."
        )


def _text(metadata: Mapping[str, object], key: str) -> str:
    value = metadata.get(key)
    return value if isinstance(value, str) else ""
