// Whether a file is healthy, from the problems that are found in it. Pure functions.

/**
 * problems: as `problems()` of client.js returns them, worst first; null: not looked for yet.
 * {level: "ok", "warning" or "error", mark, words}
 */
export function verdictOf(problems) {
  if (!problems) return { level: "open", mark: "…", words: "checking the file" };
  const bad = problems.filter(({ severity }) => severity !== "info");
  if (!bad.length) return { level: "ok", mark: "✓", words: "no problems found" };
  const level = bad[0].severity === "error" ? "error" : "warning";
  const words = bad.length === 1 ? "1 problem" : `${bad.length} problems`;
  return { level, mark: `! ${bad.length}`, words };
}
