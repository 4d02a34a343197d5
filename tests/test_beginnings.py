"""Which of some texts stands at a place, against trying them all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok.text import prefixes as beginnings
from pyodide_tok.text.prefixes import Beginnings

WORDS = st.text("ab", min_size=1, max_size=5) | st.tuples(
    st.text("ab", max_size=2), st.integers(30, 140)
).map(lambda pair: pair[0] + "a" * pair[1])


@given(st.lists(WORDS, max_size=12), WORDS, st.integers(0, 3))
def test_against_trying_all(texts: list[str], text: str, at: int) -> None:
    known = Beginnings(texts)
    fits = [word for word in texts if text.startswith(word, at)]
    assert known.longest(text, at) == max(fits, key=len, default=None)
    heads = {word[:size] for word in texts for size in range(1, len(word) + 1)}
    rest = text[at:]
    shared = max((n for n in range(1, len(rest) + 1) if rest[:n] in heads), default=0)
    assert known.shared(text, at) == shared
    for word in texts:
        others = [other for other in texts if other != word and word.startswith(other)]
        assert known.shorter(word) == max(others, key=len, default=None)


@pytest.mark.parametrize("first", [1, 2, 7])
def test_does_not_depend_on_how_much_is_compared_at_first(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beginnings, "_FIRST", first)
    known = Beginnings([b"a", b"abc", b"abcdefgh", b"abd", b"b"])
    assert [known.longest(b"abcdefgXabcdefgh", at) for at in (0, 1, 2, 8)] == [
        *(b"abc", b"b", None, b"abcdefgh")
    ]
    assert [known.shared(b"abcdefgXabcdefgh", at) for at in (0, 1, 2, 8)] == [7, 1, 0, 8]
