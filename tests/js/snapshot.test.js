import assert from "node:assert/strict";
import { test } from "node:test";
import { pack, restore, sizeOf, unpack } from "../../web/engine/snapshot.js";

const PAGE = 65536;
const facts = { build: "abc", state: { hiwireKeys: [] } };

/** Static data, a heap with zeros in it, and the memory of a fresh instance with that data. */
function memories() {
  const fresh = new Uint8Array(PAGE).fill(7, 100, 5000);
  const memory = new Uint8Array(4 * PAGE);
  memory.set(fresh);
  memory[0] = 1; // the first byte
  memory.set([1, 2, 3], 200);
  memory[460] = 9; // near the run before: one run
  memory.fill(0, 3000, 3010); // static data that became zero
  memory.fill(5, 2 * PAGE, 2 * PAGE + 900);
  memory[memory.length - 1] = 4; // the last
  return { memory, fresh };
}

test("a snapshot gives the memory again, from what differs alone", () => {
  const { memory, fresh } = memories();
  const bytes = pack(facts, memory, fresh);
  assert.equal(sizeOf(bytes), bytes.length);
  assert.ok(bytes.length < 1600, `${bytes.length} bytes`);
  const snapshot = unpack(bytes);
  assert.deepEqual(
    { build: snapshot.header.build, state: snapshot.header.state, size: snapshot.header.size },
    { ...facts, size: memory.length },
  );
  const again = new Uint8Array(memory.length);
  again.set(fresh);
  restore(snapshot, again);
  assert.deepEqual(again, memory);
});

test("no difference is no run", () => {
  const fresh = new Uint8Array(PAGE).fill(3);
  const { header, data } = unpack(pack(facts, fresh, fresh));
  assert.deepEqual([header.runs, data.length], [[], 0]);
});

test("what is not a complete snapshot is refused", () => {
  const { memory, fresh } = memories();
  const bytes = pack(facts, memory, fresh);
  assert.throws(() => unpack(bytes.slice(0, -1)), /not a complete snapshot/);
  assert.throws(() => unpack(new Uint8Array(4)), /not a complete snapshot/);
  assert.throws(() => unpack(new TextEncoder().encode("not a snapshot at all")), /not a complete snapshot/);
});
