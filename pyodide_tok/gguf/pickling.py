"""Metadata as plain data: a memoryview cannot be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def freeze(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata that can be pickled and copied."""
    return {key: _frozen(value) for key, value in metadata.items()}


def thaw(frozen: Mapping[str, Any]) -> Mapping[str, Any]:
    """What `freeze` was given."""
    return MappingProxyType({key: _thawed(value) for key, value in frozen.items()})


def _frozen(value: Any) -> Any:
    if isinstance(value, memoryview):
        return {"format": value.format, "bytes": value.tobytes()}
    return tuple(map(_frozen, value)) if isinstance(value, tuple) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, dict):
        return memoryview(value["bytes"]).cast(value["format"])
    return tuple(map(_thawed, value)) if isinstance(value, tuple) else value
