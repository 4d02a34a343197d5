// The GGUF files of a model on Hugging Face, by the model's name. pyodide_tok/gguf/hub.py follows
// the same rules; tests/data/hub.json lists them.

/** @typedef {{repo: string, quant: string, revision: string, path: string}} HubName */

const HUB = "https://huggingface.co";
const HOSTS = ["huggingface.co", "www.huggingface.co", "hf.co"];
const NAME = /^(?:hf:)?([\w.-]+\/[\w.-]+)(?::([\w.-]*))?$/i;
const NOT_OWNERS = ["api", "datasets", "docs", "models", "spaces"];
const HELPERS = ["mmproj", "imatrix", "mtp-", "eagle3-", "dflash-", "dspark-"];
const DEFAULT_QUANTS = ["Q4_K_M", "Q8_0"];

/**
 * What [hf:]OWNER/MODEL[:QUANT] or the address of a page of the Hub means; null for any other text.
 * @param {string} typed
 * @returns {HubName | null}
 */
export function hubName(typed) {
  const [, repo, quant = ""] = NAME.exec(typed) ?? [];
  if (repo && !repo.startsWith(".")) return { repo, quant, revision: "main", path: "" };
  return URL.canParse(typed) ? ofPage(new URL(typed)) : null;
}

/** @param {URL} url */
function ofPage({ host, pathname }) {
  if (!HOSTS.includes(host)) return null;
  const parts = pathname
    .replace(/^\/|\/$/g, "")
    .split("/")
    .map(decoded);
  const [owner, model = "", kind = "", revision = "", ...rest] = parts;
  const [repo, path] = [`${owner}/${model}`, rest.join("/")];
  if (NOT_OWNERS.includes(owner) || !/^[\w.-]+\/[\w.-]+$/.test(repo)) return null;
  if (kind === "" || kind === "tree") return { repo, quant: "", revision: revision || "main", path: "" };
  const isFile = ["blob", "resolve"].includes(kind) && isInside(path);
  return isFile ? { repo, quant: "", revision, path } : null;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} path */
function isInside(path) {
  return !/[\\:]/.test(path) && path.split("/").every((part) => !["", ".", ".."].includes(part));
}

/**
 * The GGUF files of a model, as sources, first the one that llama.cpp chooses; of a quant only that
 * one. Of a split model only the first part, which has the tokenizer.
 * @param {HubName} name
 * @param {string} [endpoint]
 */
export async function hubFiles(name, endpoint = HUB) {
  const { repo, revision } = name;
  const at = encodeURIComponent(revision);
  const response = await fetch(`${endpoint}/api/models/${repo}/revision/${at}`).catch(() => null);
  if (!response) throw new Error("huggingface.co does not answer. Is this machine online?");
  if (!response.ok) {
    throw new Error(
      `Hugging Face has no public model “${repo}” (status ${response.status}). The page cannot open private or gated models; the command line can.`,
    );
  }
  const files = await response.json().then(paths, () => []);
  const chosen = choose(files, name);
  const rest = name.quant ? [] : files.filter((path) => isModel(path) && path !== chosen);
  return [chosen, ...rest.slice(0, 39)].map((path) => {
    const url = `${endpoint}/${repo}/resolve/${at}/${path.split("/").map(encodeURIComponent).join("/")}`;
    return { key: url, name: path, label: path, facts: repo, url };
  });
}

/**
 * @param {any} answer
 * @returns {string[]}
 */
function paths({ siblings }) {
  return siblings.map((/** @type {any} */ { rfilename }) => String(rfilename)).filter(isInside);
}

/**
 * The file that llama.cpp chooses.
 * @param {string[]} files
 * @param {Pick<HubName, "repo" | "quant">} name
 */
export function choose(files, { repo, quant }) {
  const models = files.filter(isModel);
  for (const wanted of quant ? [quant] : DEFAULT_QUANTS) {
    const [lower, ends] = [wanted.toLowerCase(), [".", "-"]];
    const found = models.find((path) => ends.some((end) => path.toLowerCase().includes(lower + end)));
    if (found) return found;
  }
  if (models.length && !quant) return models[0];
  throw new Error(`${repo} has ${whatIsMissing(files, models, quant)}`);
}

/** @param {string} path */
function isModel(path) {
  const base = path.split("/").pop() ?? "";
  const isLaterPart = /-(?!00001)\d{5}-of-\d{5}\.gguf$/i.test(base);
  return base.endsWith(".gguf") && !isLaterPart && !HELPERS.some((helper) => base.includes(helper));
}

/**
 * @param {string[]} files
 * @param {string[]} models
 * @param {string} quant
 */
function whatIsMissing(files, models, quant) {
  if (models.length) {
    const more = models.length > 5 ? ` and ${models.length - 5} more` : "";
    return `no GGUF file of the quant '${quant}'. It has ${models.slice(0, 5).join(", ")}${more}.`;
  }
  const only = files.includes("tokenizer.json") ? ", only a tokenizer.json" : "";
  return `no GGUF file${only}. Name a model that was converted to GGUF.`;
}
