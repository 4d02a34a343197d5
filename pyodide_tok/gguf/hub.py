"""Models on the Hugging Face Hub: which file a name means, and its header.

web/shell/hub.js follows the same rules; tests/data/hub.json lists them. The environment is
huggingface_hub's: HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE, and its cache.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from pyodide_tok.errors import ModelNotFoundError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.remote import RemoteError, fetch, fetch_json, is_url
from pyodide_tok.gguf.stores import first_part, hub_snapshot, is_first_part

PREFIX = "hf:"

_HUB = "https://huggingface.co"
_HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?::([\w.-]*))?", re.ASCII)
_NOT_OWNERS = ("api", "datasets", "docs", "models", "spaces")
_COMMIT = re.compile("[0-9a-f]{40}")
_HELPERS = ("mmproj", "imatrix", "mtp-", "eagle3-", "dflash-", "dspark-")
_DEFAULT_QUANTS = ("Q4_K_M", "Q8_0")  # common/download.cpp, find_best_model


@dataclass(frozen=True, slots=True)
class HubName:
    """A model, one of its quants, or one file (`path`)."""

    repo: str
    quant: str = ""
    revision: str = "main"
    path: str = ""


def hub_name(source: str) -> HubName | None:
    """What hf:user/repo[:quant] or the address of a page of the Hub means.

    None for any other source. Raises `ModelNotFoundError` for a name that no model can have.
    """
    if is_url(source):
        return _of_page(source)
    if not source.lower().startswith(PREFIX):
        return None
    match = _NAME.fullmatch(source[len(PREFIX) :])
    if match is None:
        raise ModelNotFoundError(
            f"{source!r} does not name a model. Write hf:user/repo or hf:user/repo:quant."
        )
    return HubName(match[1], match[2] or "")


def _of_page(url: str) -> HubName | None:
    parts = urlsplit(url)
    if parts.netloc.lower() not in (*_HOSTS, urlsplit(_endpoint()).netloc.lower()):
        return None
    owner, repo, kind, revision, *path = [
        *map(unquote, parts.path.strip("/").split("/")),
        *[""] * 4,
    ]
    name = f"{owner}/{repo}"
    if owner in _NOT_OWNERS or not _NAME.fullmatch(name):
        return None
    if kind in ("", "tree"):
        return HubName(name, revision=revision or "main")
    if kind not in ("blob", "resolve"):
        return None
    file = "/".join(path).rstrip("/")
    return HubName(name, revision=revision, path=file) if _is_inside(file) else None


def open_hub(name: HubName) -> GGUFFile:
    """The header of the file that a name means, from the cache where that has it.

    Raises `ModelNotFoundError`, `RemoteError`, `GGUFError`.
    """
    path, commit = first_part(name.path), name.revision
    if not path:
        files, commit = _files(name)
        path = choose(files, name)
    folder = hub_snapshot(name.repo, commit) if _is_commit(commit) or _is_offline() else None
    if folder and (folder / path).is_file():
        return GGUFFile.open(folder / path)
    if _is_offline():
        raise ModelNotFoundError(
            f"{name.repo}: {path} is not in the cache, and HF_HUB_OFFLINE is set. Unset it."
        )
    revision = quote(name.revision, "")
    url = f"{_endpoint()}/{name.repo}/resolve/{revision}/{quote(path)}"
    with _denial():
        return fetch(url, token=os.environ.get("HF_TOKEN", ""))


@contextmanager
def _denial() -> Iterator[None]:
    """The Hub does not say whether a model is missing or private."""
    try:
        yield
    except RemoteError as error:
        if error.status not in (401, 403, 404):
            raise
        why = "There is no such model or file, or it is private or gated: then set HF_TOKEN."
        raise ModelNotFoundError(f"{error} {why}") from error


def choose(files: Sequence[str], name: HubName) -> str:
    """The file that llama.cpp chooses, of all files of a model.

    Of a split model that is the first part, which has the tokenizer.
    """
    models = [path for path in files if _is_model(path)]
    for quant in [name.quant] if name.quant else _DEFAULT_QUANTS:
        pattern = re.compile(re.escape(quant) + "[.-]", re.IGNORECASE)
        for path in models:
            if pattern.search(path):
                return path
    if models and not name.quant:
        return models[0]
    raise ModelNotFoundError(f"{name.repo} has {_what_is_missing(files, models, name.quant)}")


def _is_model(path: str) -> bool:
    base = path.rpartition("/")[2]
    is_helper = any(helper in base for helper in _HELPERS)
    return path.endswith(".gguf") and not is_helper and is_first_part(path)


def _what_is_missing(files: Sequence[str], models: Sequence[str], quant: str) -> str:
    if models:
        more = f" and {len(models) - 5} more" if len(models) > 5 else ""
        return f"no GGUF file of the quant {quant!r}. It has {', '.join(models[:5])}{more}."
    if "tokenizer.json" in files:
        return "no GGUF file, only a tokenizer.json. Name a model that was converted to GGUF."
    return "no GGUF file. Name a model that was converted to GGUF."


def _files(name: HubName) -> tuple[list[str], str]:
    """The files of a model and their commit; without a network, those in the cache."""
    folder = hub_snapshot(name.repo, name.revision)
    if not _is_offline():
        try:
            return _listed(name)
        except RemoteError as error:
            if error.status or folder is None:
                raise
    if folder is None:
        raise ModelNotFoundError(
            f"{name.repo} is not in the cache, and HF_HUB_OFFLINE is set. Unset it."
        )
    found = sorted(folder.rglob("*"))
    return [path.relative_to(folder).as_posix() for path in found if path.is_file()], folder.name


def _listed(name: HubName) -> tuple[list[str], str]:
    """What the Hub's API answers: GET /api/models/user/repo/revision/main."""
    url = f"{_endpoint()}/api/models/{name.repo}/revision/{quote(name.revision, '')}"
    with _denial():
        answer = fetch_json(url, token=os.environ.get("HF_TOKEN", ""))
    try:
        paths = [str(sibling["rfilename"]) for sibling in answer["siblings"]]
        commit = str(answer.get("sha", ""))
    except (TypeError, KeyError, AttributeError) as error:
        raise RemoteError("the answer is not the Hub's list of files", url) from error
    return [path for path in paths if _is_inside(path)], commit


def _is_inside(path: str) -> bool:
    """Whether a path stays inside the folder that it is joined to, on every system."""
    return not {"", ".", ".."} & {*path.split("/")} and not re.search(r"[\\:]", path)


def _is_commit(revision: str) -> bool:
    return _COMMIT.fullmatch(revision) is not None


def _endpoint() -> str:
    return (os.environ.get("HF_ENDPOINT") or _HUB).rstrip("/")


def _is_offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
