// What the page's worker says of a text, as JSON: pyodide_tok/explain/trace.py in types.

/** @typedef {{kind: "merge", position: number, left: string, right: string, text: string, id: number | null,
 *   rank: number | null, score: number | null}} Merge */
/** @typedef {{kind: "bytes", position: number, text: string, bytes: number[], ids: (number | null)[]}} ByteFallback */
/** @typedef {{kind: "match", position: number, text: string, id: number | null, tried: number,
 *   shorter: number[]}} Match */
/** @typedef {{left: string, right: string, rank: number | null, score: number | null}} Pair */
/** @typedef {{start: number, end: number, ids: number[], score: number | null}} Arc */
/** @typedef {{parts: {text: string, ids: number[], score: number | null}[], score: number | null}} Path */
/** @typedef {{text: string, ids: number[], symbols: string[], steps: (Merge | ByteFallback | Match)[],
 *   best: Path | null, runner_up: Path | null, note: string, pairs: Pair[], arcs: Arc[]}} TracedWord */
/** @typedef {{start: number, end: number, token: number | null, prefix: string, words: TracedWord[]}} Fragment */
/** @typedef {{type: string, before: number[], fragments: Fragment[], after: number[], note: string,
 *   ids: number[], complete: boolean}} Trace */

export {};
