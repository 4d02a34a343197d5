// Files can be dropped anywhere on the page: a GGUF file becomes the model, others are counted.

const MAGIC = "GGUF";
const MODELS = /\.(gguf|ggml|safetensors|pth?|onnx)$/i; // some cannot be used, which is then said

/**
 * onModel(file): of the picker, or the one model among what was dropped.
 * onTexts({files, words}): other files that were dropped, and what cannot be done with the rest.
 */
export function watchFiles(picker, { onModel, onTexts }) {
  picker.addEventListener("change", () => {
    if (picker.files[0]) onModel(picker.files[0]);
    picker.value = ""; // so that the same file can be chosen again
  });
  const root = document.documentElement;
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    root.dataset.drag = "file";
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) delete root.dataset.drag;
  });
  addEventListener("drop", async (event) => {
    delete root.dataset.drag;
    if (!hasFiles(event)) return;
    event.preventDefault();
    const { models, files, words } = await sorted(dropped(event.dataTransfer));
    if (models.length === 1) await onModel(models[0]);
    if (files.length || words.length) onTexts({ files, words });
  });
}

/** [{file, isFolder}]; must be asked while the event is handled. */
function dropped({ items, files }) {
  const entries = [...items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry?.());
  return [...files].map((file, i) => ({ file, isFolder: Boolean(entries[i]?.isDirectory) }));
}

async function sorted(dropped) {
  const found = { models: [], files: [], words: [] };
  for (const { file, isFolder } of dropped) {
    if (isFolder) found.words.push(`“${file.name}” is a folder: drop the files that are in it.`);
    else found[(await isModel(file)) ? "models" : "files"].push(file);
  }
  const { length } = found.models;
  if (length > 1) found.words.push(`${length} models were dropped, and one is read at a time: drop the one that you want.`);
  return found;
}

async function isModel(file) {
  const head = file.slice(0, MAGIC.length).text();
  return MODELS.test(file.name) || (await head.catch(() => "")) === MAGIC;
}
