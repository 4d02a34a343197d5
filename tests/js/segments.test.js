import assert from "node:assert/strict";
import { test } from "node:test";
import { pieceLabel, visible } from "../../web/tokens/glyphs.js";
import { cutBlocks, idsWithoutText, segments } from "../../web/tokens/segments.js";

const columns = (...tokens) => ({
  ids: tokens.map(([id]) => id),
  starts: tokens.map(([, start]) => start),
  ends: tokens.map(([, , end]) => end),
});
const drawn = (text, tokens) => cutBlocks(text, tokens).flatMap((block) => [...segments(tokens, block)]);

test("tokens, gaps and added tokens cover the text in order", () => {
  const tokens = columns([1, 0, 0], [7, 0, 2], [8, 3, 5], [2, 6, 6]);
  assert.deepEqual(drawn("ab cd ", tokens), [
    { from: 0, to: 1, start: 0, end: 0 },
    { from: 1, to: 2, start: 0, end: 2 },
    { gap: true, start: 2, end: 3 },
    { from: 2, to: 3, start: 3, end: 5 },
    { gap: true, start: 5, end: 6 },
    { from: 3, to: 4, start: 6, end: 6 },
  ]);
  assert.deepEqual([...idsWithoutText(tokens)], [1, 2]);
});

test("tokens that share a character are one group", () => {
  const tokens = columns([5, 0, 2], [6, 0, 2], [7, 0, 3], [8, 3, 4]);
  assert.deepEqual(drawn("🙂ab", tokens), [
    { from: 0, to: 3, start: 0, end: 3 },
    { from: 3, to: 4, start: 3, end: 4 },
  ]);
  assert.deepEqual([...idsWithoutText(tokens)], [5, 6, 7]);
});

test("blocks end at line ends, never inside a group, and join without a hole", () => {
  const text = `${"x".repeat(9)}\n`.repeat(500);
  const tokens = columns(...Array.from(text, (_, i) => [i, i, i + 1]));
  const blocks = cutBlocks(text, tokens);
  assert.ok(blocks.length > 10);
  for (const [i, { from, to, start, end }] of blocks.entries()) {
    assert.equal(text[end - 1], "\n");
    assert.equal(from, i ? blocks[i - 1].to : 0);
    assert.equal(start, i ? blocks[i - 1].end : 0);
    assert.ok(to - from <= 900);
  }
  assert.equal(blocks.at(-1).end, text.length);
  const grouped = columns(...Array.from({ length: 5000 }, (_, i) => [i, 0, 1]));
  assert.equal(cutBlocks("x", grouped).length, 1);
});

test("empty text has no block; dropped text has one", () => {
  assert.deepEqual(cutBlocks("", columns()), []);
  assert.deepEqual(drawn("  ", columns()), [{ gap: true, start: 0, end: 2 }]);
});

test("nothing stays invisible", () => {
  assert.equal(visible(" a\tb\n", true), "·a→\tb↵\n");
  assert.equal(visible(" a\n", false), " a\n");
  assert.equal(visible("\n", false), "↵\n");
  assert.equal(visible("a\u202eb", false), "a⟨RLO⟩b");
  assert.equal(visible("\u200d", false), "⟨ZWJ⟩");
  assert.equal(visible("\x1b[0m\0", false), "␛[0m␀");
  assert.equal(visible("a\ud800", false), "a⟨U+D800⟩");
  assert.equal(visible("👩\u200d🚀", false), "👩\u200d🚀");
  assert.equal(visible("1\ufe0f\u20e3", false), "1\ufe0f\u20e3");
  assert.equal(visible("می\u200cخواهم", false), "می\u200cخواهم");
  assert.equal(visible("pay\u200dpal", false), "pay⟨ZWJ⟩pal");
  assert.equal(visible("hi\u{e0041}\u3164\u2063", false), "hi⟨U+E0041⟩⟨U+3164⟩⟨U+2063⟩");
});

test("pieces are text when they can be, else hex", () => {
  assert.equal(pieceLabel(new TextEncoder().encode(" é")), "·é");
  assert.equal(pieceLabel(Uint8Array.of(0xf0, 0x9f)), "F0 9F");
});
