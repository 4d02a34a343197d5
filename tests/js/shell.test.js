import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictOf } from "../../web/shell/verdict.js";
import { COLOURS, colourOf, colours } from "../../web/tokens/colours.js";

const tints = (text, ids, starts) => [...colours(text, { ids, starts }, 0, ids.length)];

test("a piece keeps its tint wherever it is", () => {
  const alone = [3, 900, 17].map(colourOf);
  assert.ok(alone.every((tint) => tint >= 0 && tint < COLOURS));
  const [, , last] = tints("a b c", [3, 900, 17], [0, 1, 3]);
  assert.equal(last, alone[2]);
});

test("neighbours differ, and a line begins anew", () => {
  const same = tints("aaaa", [5, 5, 5, 5], [0, 1, 2, 3]);
  assert.ok(same.every((tint, i) => !i || tint !== same[i - 1]));
  const [first, , below] = tints("a\na", [5, 6, 5], [0, 1, 2]);
  assert.equal(first, below);
});

test("the verdict is of the worst problem; what is only worth knowing is none", () => {
  const of = (...severities) => verdictOf(severities.map((severity) => ({ severity })));
  assert.equal(verdictOf(null).level, "open");
  assert.equal(of("info").level, "ok");
  assert.equal(of("warning", "info").level, "warning");
  assert.deepEqual(of("error", "warning"), { level: "error", mark: "! 2", words: "2 problems" });
});
