"""What llama.cpp would log: a text for people, with a code for programs."""

from __future__ import annotations


class Notice(str):
    """A warning: a plain `str` that also has a stable `code` such as "double-bos"."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, message: str) -> Notice:
        notice = super().__new__(cls, message)
        notice.code = code
        return notice

    def __reduce__(self) -> tuple[type[Notice], tuple[str, str]]:
        return (Notice, (self.code, str(self)))
