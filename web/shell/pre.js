// The names of pre-tokenizers, for files that name none or one that is not known.

import { runtime } from "./runtime.js";

let names;

/** Fill a choice of pre-tokenizers; `first`: those to offer before all others. */
export async function listPre(select, chosen, first = []) {
  names ??= await runtime.call("pre_names").catch(() => null);
  const options = [...new Set([...first, ...(names ?? [])])].map((name) => new Option(name, name));
  select.replaceChildren(...options);
  select.value = first[0] ?? chosen;
}
