// What was done to a text, step by step, so that all of it can be undone and redone. A step keeps only
// the part that changed. No element is known here: see textbox.js.

const PAUSE = 1500; // milliseconds: after a longer pause, typing is another step
const MOST_STEPS = 2000;
const MOST_UNITS = 50e6; // UTF-16 units that all steps keep together

export class History {
  #text;
  #steps = []; // {at, removed, inserted, typed, time}
  #done = 0; // how many of them are done; the rest can be redone

  constructor(text = "") {
    this.#text = text;
  }

  get text() {
    return this.#text;
  }

  get canUndo() {
    return this.#done > 0;
  }

  get canRedo() {
    return this.#done < this.#steps.length;
  }

  /** Note that the text is another one now. typed: by single keys, of which a run is one step. */
  record(text, { typed = false, time = 0 } = {}) {
    if (text === this.#text) return;
    const step = { ...difference(this.#text, text), typed, time };
    this.#text = text;
    this.#steps.length = this.#done;
    const last = this.#steps.at(-1);
    if (last && continues(last, step)) join(last, step);
    else this.#steps.push(step);
    this.#forgetOldest();
    this.#done = this.#steps.length;
  }

  /** {text, caret}, or null if there is nothing to undo. */
  undo() {
    if (!this.canUndo) return null;
    const { at, removed, inserted } = this.#steps[--this.#done];
    return this.#change(at, inserted.length, removed);
  }

  /** {text, caret}, or null if there is nothing to redo. */
  redo() {
    if (!this.canRedo) return null;
    const { at, removed, inserted } = this.#steps[this.#done++];
    return this.#change(at, removed.length, inserted);
  }

  #change(at, length, text) {
    this.#text = this.#text.slice(0, at) + text + this.#text.slice(at + length);
    return { text: this.#text, caret: at + text.length };
  }

  #forgetOldest() {
    let kept = 0;
    let first = this.#steps.length;
    while (first > 0 && this.#steps.length - first < MOST_STEPS) {
      const { removed, inserted } = this.#steps[first - 1];
      kept += removed.length + inserted.length;
      if (kept > MOST_UNITS && first < this.#steps.length) break; // the newest step always stays
      first--;
    }
    this.#steps.splice(0, first);
  }
}

/** What to replace in one text to get the other: {at, removed, inserted}. */
export function difference(before, after) {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  let tail = 0;
  while (
    tail < shorter - at &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++;
  }
  return {
    at,
    removed: before.slice(at, before.length - tail),
    inserted: after.slice(at, after.length - tail),
  };
}

/** Whether a step goes on where the last one ended, in the same word and direction. */
function continues(last, step) {
  if (!last.typed || !step.typed || step.time - last.time > PAUSE) return false;
  if (step.removed && step.inserted) return false;
  if (step.inserted) {
    const newWord = /\s$/.test(last.inserted) && !/^\s/.test(step.inserted);
    return !last.removed && !newWord && step.at === last.at + last.inserted.length;
  }
  return !last.inserted && (step.at + step.removed.length === last.at || step.at === last.at);
}

function join(last, step) {
  last.removed = step.at < last.at ? step.removed + last.removed : last.removed + step.removed;
  last.inserted += step.inserted;
  last.at = Math.min(last.at, step.at);
  last.time = step.time;
}
