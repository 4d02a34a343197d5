// Columns as a link names them: "gpt-2", "url https://...", "file NAME", each maybe with "|PRE".
// Pure functions.

/** {key, name, url, builtin, pre} -> a parameter of a link. */
export function parameterOf({ key, name, url, builtin, pre }) {
  const model = url ? `url ${url}` : builtin ? key : `file ${name}`;
  return pre ? `${model}|${pre}` : model;
}

/** A parameter of a link -> {key, name, url, pre} */
export function specOf(parameter) {
  const [, model, pre] = parameter.match(/^(.*?)(?:\|([\w.-]+))?$/s);
  const [kind, rest] = model.split(/ (.*)/s);
  if (kind === "url" && rest) return { key: model, url: rest, pre: pre ?? null };
  return { key: model, name: kind === "file" && rest ? rest : model, pre: pre ?? null };
}
