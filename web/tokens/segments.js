// Token columns -> what there is to draw. Pure functions; positions are UTF-16 units of the text.

const BLOCK = 300; // tokens: a block ends at the first line end after so many ...
const LONGEST = 900; // ... and at the latest after so many

/** Whether token i shares characters with the tokens before it, whose spans reach to `reach`. */
function joins({ starts, ends }, i, reach) {
  return starts[i] < reach && ends[i] > starts[i];
}

/**
 * Cut the tokens into blocks that are drawn one at a time, never inside a group.
 * Each block: {from, to} in tokens, {start, end} in the text, and the `lines` that end in it.
 */
export function cutBlocks(text, columns) {
  const { ids, ends } = columns;
  const blocks = [];
  let [from, start, reach, lines] = [0, 0, 0, 0];
  for (let i = 0; i < ids.length; i++) {
    const line = i > from && text.charCodeAt(reach - 1) === 10;
    if (line) lines++;
    if (i - from >= (line ? BLOCK : LONGEST) && !joins(columns, i, reach)) {
      blocks.push({ from, to: i, start, end: reach, lines });
      [from, start, lines] = [i, reach, 0];
    }
    reach = Math.max(reach, ends[i]);
  }
  if (ids.length || text) blocks.push({ from, to: ids.length, start, end: text.length, lines });
  return blocks;
}

/**
 * The segments of one block, in order:
 *   {gap: true, start, end}       text that no token stands for
 *   {from, to, start, end}        one token, or a group of tokens that share characters
 */
export function* segments(columns, block) {
  const { starts, ends } = columns;
  let at = block.start;
  for (let i = block.from; i < block.to; ) {
    const start = Math.max(starts[i], at);
    if (start > at) yield { gap: true, start: at, end: start };
    let to = i + 1;
    let end = Math.max(start, ends[i]);
    while (ends[i] > starts[i] && to < block.to && joins(columns, to, end)) {
      end = Math.max(end, ends[to++]);
    }
    yield { from: i, to, start, end };
    at = end;
    i = to;
  }
  if (block.end > at) yield { gap: true, start: at, end: block.end };
}

/** The ids whose own bytes must be known to draw them: tokens with no text, or with a shared one. */
export function idsWithoutText(columns) {
  const { ids, starts, ends } = columns;
  const wanted = new Set();
  let reach = 0;
  for (let i = 0; i < ids.length; i++) {
    const shared = joins(columns, i, reach);
    if (shared) wanted.add(ids[i - 1]);
    if (shared || starts[i] === ends[i]) wanted.add(ids[i]);
    reach = Math.max(reach, ends[i]);
  }
  return wanted;
}

/** Whether two blocks would be drawn alike. */
export function sameBlock(a, b) {
  const [p, q] = [a.block, b.block];
  if (p.start !== q.start || p.end !== q.end || p.to - p.from !== q.to - q.from) return false;
  if (a.text.slice(p.start, p.end) !== b.text.slice(q.start, q.end)) return false;
  for (let i = p.from, j = q.from; i < p.to; i++, j++) {
    if (a.columns.ids[i] !== b.columns.ids[j] || a.columns.ends[i] !== b.columns.ends[j]) {
      return false;
    }
  }
  return p.from === q.from;
}
