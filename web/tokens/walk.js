// Which token a key leads to.

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };
const LINES = { ArrowDown: 1, ArrowUp: -1 };
const FAR = 400; // tokens: no line has more

/** The index of the token that `key` leads to from token i (-1: none yet); null: no such key. */
export function walk(view, i, key) {
  const last = view.columns.ids.length - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key in STEPS) return i < 0 ? 0 : Math.min(Math.max(i + STEPS[key], 0), last);
  if (key in LINES) return i < 0 ? 0 : acrossLines(view, i, LINES[key], last);
  return null;
}

/** The token nearest below (direction 1) or above (-1) the middle of token i. */
function acrossLines(view, i, direction, last) {
  const here = middle(view.elementOf(i));
  let [best, distance, line] = [i, Infinity, null];
  for (let j = i + direction; j >= 0 && j <= last && Math.abs(j - i) < FAR; j += direction) {
    const there = middle(view.elementOf(j));
    if ((there.y - here.y) * direction < here.height) continue;
    line ??= there;
    if (Math.abs(there.y - line.y) >= line.height) break;
    const off = Math.abs(there.x - here.x);
    if (off < distance) [best, distance] = [j, off];
  }
  return best;
}

function middle(element) {
  const { left, width, top, height } = element.getClientRects()[0] ?? element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2, height: height * 0.6 };
}
