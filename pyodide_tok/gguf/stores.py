"""GGUF files of Hugging Face, llama.cpp, LM Studio and Ollama on this machine."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyodide_tok.errors import ModelNotFoundError

PREFIX = "ollama:"

_PART = re.compile(r"(.*)-(\d{5})-of-(\d{5})\.gguf", re.DOTALL | re.IGNORECASE)
_OLLAMA = re.compile(r"(?:(?:([\w.-]+)/)?([\w.-]+)/)?([\w.-]+)(?::([\w.-]+))?", re.ASCII)
_DIGEST = re.compile("sha256:[0-9a-f]{64}")
_MODEL_LAYER = "application/vnd.ollama.image.model"


@dataclass(frozen=True, slots=True)
class Stored:
    """A model on this machine. name: what the command line accepts."""

    store: str
    name: str
    path: str


def is_first_part(path: str) -> bool:
    """Whether a file is a model, or the first part of one: its header has the tokenizer."""
    match = _PART.fullmatch(path)
    return match is None or int(match[2]) == 1


def first_part(path: str) -> str:
    """The first part of a split model, for any part.

    >>> first_part("m-00002-of-00003.gguf"), first_part("m.gguf")
    ('m-00001-of-00003.gguf', 'm.gguf')
    """
    return _PART.sub(r"\1-00001-of-\3.gguf", path)


# -- Hugging Face -------------------------------------------------------------------------


def hub_snapshot(repo: str, revision: str) -> Path | None:
    """The folder of a model's files in the cache of huggingface_hub, if that has the revision."""
    for cache in _hub_caches():
        folder = cache / f"models--{repo.replace('/', '--')}"
        try:
            commit = (folder / "refs" / revision).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            commit = revision
        if re.fullmatch("[0-9a-f]{40}", commit) and (folder / "snapshots" / commit).is_dir():
            return folder / "snapshots" / commit
    return None


def _hub_caches() -> list[Path]:
    """Newer llama.cpp keeps the same layout in LLAMA_CACHE."""
    hub = _variable("HF_HUB_CACHE") or _variable("HUGGINGFACE_HUB_CACHE")
    home = _variable("HF_HOME")
    hub = hub or (home / "hub" if home else _cache("XDG_CACHE_HOME") / "huggingface" / "hub")
    llama = _variable("LLAMA_CACHE")
    return [hub, llama] if llama else [hub]


# -- Ollama -------------------------------------------------------------------------------


def ollama_path(name: str) -> str:
    """The blob of a model by its name in Ollama: [[host/]namespace/]model[:tag].

    Raises `ModelNotFoundError`.
    """
    match = _OLLAMA.fullmatch(name)
    if match is None or ".." in re.split("[/:]", name):
        raise ModelNotFoundError(
            f"{name!r} does not name a model of Ollama. Write ollama:model or ollama:model:tag."
        )
    host, namespace, model, tag = match.groups()
    pattern = f"{host or '*'}/{namespace or 'library'}/{model}/{tag or 'latest'}"
    for folder in _ollama_folders():
        for manifest in sorted(folder.glob(f"manifests/{pattern}")):
            blob = _blob(folder, manifest)
            if blob:
                return blob
    places = ", ".join(map(str, _ollama_folders()))
    raise ModelNotFoundError(
        f"Ollama has no model {name!r} in {places}. `ollama list` shows its models; OLLAMA_MODELS"
        " names their folder."
    )


def _ollama_folders() -> list[Path]:
    named = _variable("OLLAMA_MODELS")
    own = _home() / ".ollama" / "models"
    return [named] if named else [own, Path("/usr/share/ollama/.ollama/models")]


def _blob(folder: Path, manifest: Path) -> str:
    """The model of a manifest; "" if it has none, or none that is here."""
    try:
        layers = json.loads(manifest.read_bytes())["layers"]
        found = [layer["digest"] for layer in layers if layer["mediaType"] == _MODEL_LAYER]
    except (OSError, ValueError, TypeError, KeyError):
        return ""
    for digest in found:
        blob = folder / "blobs" / str(digest).replace(":", "-")
        if _DIGEST.fullmatch(str(digest)) and blob.is_file():
            return str(blob)
    return ""


# -- all of them --------------------------------------------------------------------------


def stored() -> list[Stored]:
    """The models in the usual folders, each file once; of split models the first part."""
    found: dict[str, Stored] = {}
    for model in (*_in_folders(), *_of_ollama()):
        found.setdefault(os.path.realpath(model.path), model)
    return list(found.values())


def _in_folders() -> Iterator[Stored]:
    lm_studio = (_home() / ".lmstudio" / "models", _home() / ".cache" / "lm-studio" / "models")
    for store, folders in (
        ("Hugging Face", _hub_caches()[:1]),
        ("llama.cpp", [_variable("LLAMA_CACHE") or _llama_cache()]),
        ("LM Studio", lm_studio),
    ):
        for folder in folders:
            for path in sorted(folder.rglob("*.gguf")):
                if path.is_file() and is_first_part(path.name):
                    yield Stored(store, str(path), str(path))


def _of_ollama() -> Iterator[Stored]:
    for folder in _ollama_folders():
        for manifest in sorted(folder.glob("manifests/*/*/*/*")):
            blob = _blob(folder, manifest)
            if blob:
                host, namespace, model, tag = manifest.parts[-4:]
                known = (
                    f"{model}:{tag}"
                    if namespace == "library"
                    else f"{host}/{namespace}/{model}:{tag}"
                )
                yield Stored("Ollama", PREFIX + known, blob)


def _llama_cache() -> Path:
    """As llama.cpp's fs_get_cache_directory."""
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "llama.cpp"
    return _cache("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME") / "llama.cpp"


def _cache(variable: str) -> Path:
    return _variable(variable) or _home() / ".cache"


def _variable(name: str) -> Path | None:
    value = os.environ.get(name)
    return Path(os.path.expanduser(value)) if value else None


def _home() -> Path:
    return Path(os.path.expanduser("~"))
