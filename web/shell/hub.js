// The GGUF files of a model on Hugging Face, by the model's name.

const HUB = "https://huggingface.co";

/** Whether what was typed is OWNER/MODEL and not an address. */
export function isHubName(typed) {
  return /^[\w.-]+\/[\w.-]+$/.test(typed);
}

/** [{key, name, label, facts, url}], at most the first 40. */
export async function hubFiles(name) {
  const response = await fetch(`${HUB}/api/models/${name}`).catch(() => null);
  if (!response) throw new Error("huggingface.co does not answer. Is this machine online?");
  if (!response.ok)
    throw new Error(`Hugging Face has no public model “${name}” (status ${response.status}).`);
  return filesOf(name, await response.json());
}

/** The files of the answer; of a model in several parts only the first, which has the header. */
export function filesOf(name, { siblings = [] }) {
  const paths = siblings.map(({ rfilename }) => String(rfilename));
  const wanted = paths.filter((path) => /\.gguf$/i.test(path) && !/-(?!00001)\d{5}-of-\d{5}\./.test(path));
  return wanted.slice(0, 40).map((path) => {
    const url = `${HUB}/${name}/resolve/main/${path.split("/").map(encodeURIComponent).join("/")}`;
    return { key: url, name: path, label: path, facts: name, url };
  });
}
