// The memory snapshot: what Python's memory has beyond that of a fresh WebAssembly instance.
//
//   u32  bytes in all
//   u32  bytes of the header
//   header, JSON: {build, size, state, runs: [bytes to skip, bytes to write, ...]}
//   the bytes to write, one run after the other
//
// build: Pyodide's BUILD_ID; size: of the memory; state: what Pyodide keeps outside of it.

/**
 * @typedef {{build: string, size: number, state: object, runs: number[]}} Header
 * @typedef {{header: Header, data: Uint8Array}} Snapshot
 */

const PREFIX = 8; // the two sizes
const GAP = 256; // equal bytes that end a run: fewer cost less to write than a run's two numbers

/**
 * @param {Omit<Header, "runs" | "size">} facts
 * @param {Uint8Array} memory
 * @param {Uint8Array} fresh The memory of a fresh instance.
 */
export function pack(facts, memory, fresh) {
  const runs = [];
  const parts = [];
  let end = 0;
  for (const [from, to] of differences(memory, fresh)) {
    runs.push(from - end, to - from);
    parts.push(memory.subarray(from, to));
    end = to;
  }
  const header = new TextEncoder().encode(JSON.stringify({ ...facts, size: memory.length, runs }));
  const data = [header, ...parts];
  const total = data.reduce((sum, { length }) => sum + length, PREFIX);
  const bytes = new Uint8Array(total);
  new Uint32Array(bytes.buffer, 0, 2).set([total, header.length]);
  let at = PREFIX;
  for (const part of data) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * [from, to] of each run of bytes that differ, with gaps of up to GAP equal ones in it.
 * @param {Uint8Array} memory
 * @param {Uint8Array} fresh Zero beyond its end.
 */
function* differences(memory, fresh) {
  let [from, to] = [0, 0];
  for (let i = 0; i < memory.length; i++) {
    if (memory[i] === (fresh[i] ?? 0)) continue;
    if (i - to > GAP) {
      if (to > from) yield [from, to];
      from = i;
    }
    to = i + 1;
  }
  if (to > from) yield [from, to];
}

/**
 * How many bytes a snapshot has, from its beginning.
 * @param {Uint8Array<ArrayBuffer>} beginning
 */
export function sizeOf(beginning) {
  return new DataView(beginning.buffer, beginning.byteOffset).getUint32(0, true);
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Snapshot}
 */
export function unpack(bytes) {
  if (bytes.length < PREFIX || sizeOf(bytes) !== bytes.length) throw new Error("not a complete snapshot");
  const end = PREFIX + new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX, end)));
  return { header, data: bytes.subarray(end) };
}

/**
 * Write the runs into a memory that is like a fresh instance's and large enough.
 * @param {Snapshot} snapshot
 * @param {Uint8Array} memory
 */
export function restore({ header: { runs }, data }, memory) {
  let [from, to] = [0, 0]; // in the data and in the memory
  for (let i = 0; i < runs.length; i += 2) {
    to += runs[i];
    const end = from + runs[i + 1];
    memory.set(data.subarray(from, end), to);
    to += runs[i + 1];
    from = end;
  }
}
