import assert from "node:assert/strict";
import { test } from "node:test";
import { difference, History } from "../../web/shell/history.js";

test("what to replace in one text to get the other", () => {
  assert.deepEqual(difference("abcd", "abXd"), { at: 2, removed: "c", inserted: "X" });
  assert.deepEqual(difference("aa", "aaa"), { at: 2, removed: "", inserted: "a" });
  assert.deepEqual(difference("aaa", "a"), { at: 1, removed: "aa", inserted: "" });
  assert.deepEqual(difference("", "new"), { at: 0, removed: "", inserted: "new" });
});

test("any number of steps back and forth", () => {
  const history = new History("0");
  const texts = Array.from({ length: 50 }, (_, i) => `text ${i * 7919} and more`);
  for (const text of texts) history.record(text);
  for (const text of texts.slice(0, -1).reverse()) assert.equal(history.undo().text, text);
  assert.equal(history.undo().text, "0");
  assert.equal(history.undo(), null);
  for (const text of texts) assert.equal(history.redo().text, text);
  assert.equal(history.redo(), null);
});

test("a word that is typed is one step, the next word another", () => {
  const history = new History();
  for (let i = 1; i <= "one two".length; i++) {
    history.record("one two".slice(0, i), { typed: true, time: 100 * i });
  }
  assert.equal(history.undo().text, "one ");
  assert.equal(history.undo().text, "");
});

test("a pause, a deletion and a replacement begin steps", () => {
  const history = new History("ab");
  history.record("abc", { typed: true, time: 0 });
  history.record("abcd", { typed: true, time: 9000 });
  history.record("abc", { typed: true, time: 9100 });
  history.record("ab", { typed: true, time: 9200 });
  history.record("an example");
  assert.deepEqual(
    [1, 2, 3, 4].map(() => history.undo().text),
    ["ab", "abcd", "abc", "ab"],
  );
});

test("a new text after an undo drops what could be redone", () => {
  const history = new History("a");
  history.record("b");
  history.undo();
  history.record("c");
  assert.equal(history.canRedo, false);
  assert.equal(history.undo().text, "a");
});

test("steps of 1 MB cost what they change, and the oldest go when all are too many", () => {
  const history = new History();
  const big = "x".repeat(1e6);
  for (let i = 0; i < 200; i++) history.record(i % 2 ? "" : big + i);
  let steps = 0;
  while (history.undo()) steps++;
  assert.ok(steps >= 40 && steps < 60, String(steps));
});
