import assert from "node:assert/strict";
import { test } from "node:test";
import { readBytes, readHead } from "../../web/engine/source.js";

/** A file of `size` bytes that says what was asked of it. */
const file = (size, asked) => ({
  size,
  slice(start, end) {
    asked.push([start, end]);
    return { arrayBuffer: async () => ({ byteLength: end - start }) };
  },
});

test("of a file over 4 GiB only the head is read (RB157, RB158)", async () => {
  const asked = [];
  const load = async (head) => (head.byteLength < 20e6 ? { need: 20e6 } : { handle: 1 });
  assert.deepEqual(await readHead(file(7e9, asked), load), { handle: 1 });
  assert.ok(asked.length < 5);
  assert.ok(asked.every(([start, end]) => start === 0 && end < 100e6));
});

test("a header that claims more than there is ends with the file", async () => {
  const sizes = [];
  const load = async (_, complete) => {
    sizes.push(complete);
    return complete ? { handle: 1 } : { need: 1e9 };
  };
  await readHead(file(5e6, []), load);
  assert.deepEqual(sizes, [false, true]);
});

test("a file that was cut short since it was chosen is not read as if that were all", async () => {
  const cut = { size: 9, arrayBuffer: async () => new ArrayBuffer(4) };
  await assert.rejects(readBytes(cut), /changed or removed/);
});
