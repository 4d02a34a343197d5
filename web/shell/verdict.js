// Whether a file is healthy, from what its loader reports. Pure functions.

/** What changes nobody's ids: not a problem, and only listed in the Model view. */
const NOTES = new Set([
  "retyped-control",
  "retyped-user-defined",
  "eog-added",
  "eog-removed",
  "empty-token",
  "old-version",
  "template-bos",
  "add-bos-forced",
  "one-of-several",
]);
const LEVELS = { error: 2, warning: 1, note: 0 };

/** [{code, severity, message, fix}], the worst first. */
export function problemsOf({ problems, warnings = [] }) {
  const all =
    problems ??
    warnings.map(({ code, message }) => ({ code, message, severity: NOTES.has(code) ? "note" : "warning" }));
  return [...all].sort((a, b) => (LEVELS[b.severity] ?? 1) - (LEVELS[a.severity] ?? 1));
}

/** {level: "ok", "warning" or "error", mark, words} */
export function verdictOf(info) {
  const bad = problemsOf(info).filter(({ severity }) => severity !== "note");
  if (!bad.length) return { level: "ok", mark: "✓", words: "no problems found" };
  const level = bad[0].severity === "error" ? "error" : "warning";
  return { level, mark: `! ${bad.length}`, words: bad.length === 1 ? "1 problem" : `${bad.length} problems` };
}
