"""Texts that tell tokenizers apart: scripts, code, numbers, white space, emoji, contractions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

PLAIN = "Hello"
_SENTENCES = (
    PLAIN,
    "The quick brown fox doesn't jump over 13 lazy dogs; it's asleep.",
    "I'VE SEEN WE'LL, they'd've, y'all'd, rock'n'roll, O'Brien's and the '90s.",
    "camelCase, PascalCase, snake_case, kebab-case, SCREAMING_CASE, HTMLParser, iPhone15Pro",
    "Voilà, l’été à Zürich coûte 1 234,56 €; naïve façade, œuvre, Ærøskøbing.",
    "Die Straßenbahn fährt über die Brücke, sagte Jürgen.",
    "¿Dónde está el año nuevo? ¡Mañana, señor!",
    "Não há açúcar na pastelaria, irmão.",
    "Zażółć gęślą jaźń; příliš žluťoučký kůň; İstanbul'da ılık rüzgâr.",
    "Trời hôm nay đẹp quá, chúng ta đi chơi nhé.",
    "Съешь ещё этих мягких французских булок, да выпей чаю.",
    "Україна має гарні гори. България е хубава.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.",
    "דג סקרן שט בים מאוכזב. שָׁלוֹם",
    "صِف خَلقَ خَودٍ كَمِثلِ الشَمسِ، ١٢٣٤٥؟",
    "این یک متن فارسی است که نیم\u200cفاصله دارد.",
    "हिन्दी में लिखा हुआ एक वाक्य है। १२३",
    "বাংলা ভাষায় একটি বাক্য।",
    "தமிழ் ஒரு பழமையான மொழி.",
    "ภาษาไทยไม่มีช่องว่างระหว่างคำ ๑๒๓",
    "ພາສາລາວ မြန်မာစာ ភាសាខ្មែរ",
    "ქართული ენა լեզու አማርኛ",
    "今天天气很好，我们去公园吧。一共１２３元。",
    "吾輩は猫である。名前はまだ無い。カタカナ ﾊﾝｶｸ",
    "한국어 문장은 띄어쓰기가 있습니다. 안녕하세요?",
    "繁體中文、𠀀𠮷𠜎 rare 漢字",
    'def f(x: int) -> str:\n    return f"{x:>5}\\n"  # comment\n',
    "for (int i = 0; i < n; ++i) { a[i] += b[i] * 2; } // end",
    "SELECT * FROM t WHERE a<>'b' AND c>=1.5e-10;",
    '<div class="a b">x &amp; y</div><!-- note -->',
    "https://example.com/a/b?c=d&e=%20f#g me@example.org C:\\temp\\x.txt /usr/lib",
    '{"key": [1, 2.5, null, true], "nested": {"a": "b"}}',
    "if [[ $x -eq 3 ]]; then echo \"${y}\" | grep -E '^a+$'; fi",
    "1 12 123 1234 12345 123456 1234567 0.5 3,141,592.65 1e9 0xDEADBEEF 2026-11-30T22:17 ½ ² Ⅷ ٣ १",
    "$1,000.00 £5 100% #1 @user C++ C# .NET (a) [b] {c} <d> a/b a|b ~x ^y `z`",
    '...!!!???---___===+++***///\\\\\\ ,,,;;;::: "“”‘’«»„‚"',
    "🙂 👍🏽 👨\u200d👩\u200d👧\u200d👦 🇩🇪🇯🇵 ❤️ ☕︎ 1️⃣",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "x² + y³ ≈ √z ∑∫∂ ≠ ≤ ∞ α→β ℝ⊂ℂ",
    "e\u0301te\u0301 A\u030angstro\u0308m n\u0303 가가 ﬁ ẛ\u0323",
    "zero\u200bwidth\u200djoin\u00adsoft\u2060word \ufeffbom non\u00a0break \u3000wide\u2003em",
    "a  b   c    d     e\tf\t\tg \t h\n\ni\n\n\nj\r\nk\r\n\r\nl \n m\n n",
    "   leading and trailing   ",
    "\n\nleading newlines\n",
    " one space",
    "\ttab",
)
_LETTERS = ("a", "Z", "é", "中", "1", " ", "\n", "\t", ".", "'", "_", "/", "\u0301", "ا", "🙂")
_WORDS = ("Hello", "world", "don't", "123", "été", "中文")
_JOINTS = (
    "",
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    " \n",
    "\t",
    "\r\n",
    ".",
    "...",
    "-",
    "_",
    "/",
    "\u3000",
)


def general() -> Iterator[str]:
    """Texts for any vocabulary: sentences, their lines as one text, and short combinations."""
    yield from _SENTENCES
    yield "\n".join(_SENTENCES)
    yield from map("".join, product(_LETTERS, repeat=2))
    yield from map("".join, product(_LETTERS, repeat=3))
    for left, joint, right in product(_WORDS, _JOINTS, _WORDS):
        yield left + joint + right


def around(token: str) -> Iterator[str]:
    """Texts with a token of its own in them: alone, between words, beside white space, twice."""
    for form in ("{0}", "a{0}b", "a {0} b", "a\n{0}\nb", "{0}{0}", "{0} 1", "{0}\n\n中"):
        yield form.format(token)


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts, each once, without empty ones and those that are not valid Unicode."""
    return tuple(dict.fromkeys(text for text in texts if text and _is_unicode(text)))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
