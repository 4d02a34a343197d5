// Files can be dropped anywhere on the page: a GGUF file becomes the model, others are counted.

import { showError } from "./page.js";

const MAGIC = "GGUF";
const MODELS = /\.(gguf|ggml|safetensors|pth?|onnx)$/i; // some cannot be used, which is then said

/**
 * onModel(file, handle): of the picker, or the one model among what was dropped; the handle, by
 * which it can be read on another visit, is there in some browsers.
 * onTexts({files, words}): other files that were dropped, and what cannot be done with the rest.
 */
export function watchFiles(picker, { onModel, onTexts }) {
  picker.addEventListener("change", () => {
    if (picker.files[0]) onModel(picker.files[0]);
    picker.value = ""; // so that the same file can be chosen again
  });
  if (window.showOpenFilePicker) picker.addEventListener("click", (event) => pick(event, onModel));
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
    if (models.length === 1) await onModel(models[0].file, await models[0].handle);
    if (files.length || words.length) onTexts({ files, words });
  });
}

/** Choose a file with the picker that returns a handle. Ollama's files have no extension. */
async function pick(event, onModel) {
  event.preventDefault();
  try {
    const [handle] = await showOpenFilePicker({ id: "model" });
    onModel(await handle.getFile(), handle);
  } catch (error) {
    if (error.name !== "AbortError") showError(error);
  }
}

/** [{file, isFolder, handle: a promise}]; must be asked while the event is handled. */
function dropped({ items, files }) {
  const found = [...items].filter(({ kind }) => kind === "file");
  return [...files].map((file, i) => ({
    file,
    isFolder: Boolean(found[i]?.webkitGetAsEntry?.()?.isDirectory),
    handle: found[i]?.getAsFileSystemHandle?.().catch(() => null),
  }));
}

async function sorted(dropped) {
  const found = { models: [], files: [], words: [] };
  for (const { file, isFolder, handle } of dropped) {
    if (isFolder) found.words.push(`“${file.name}” is a folder: drop the files that are in it.`);
    else if (await isModel(file)) found.models.push({ file, handle });
    else found.files.push(file);
  }
  const { length } = found.models;
  if (length > 1)
    found.words.push(`${length} models were dropped, and one is read at a time: drop the one that you want.`);
  return found;
}

async function isModel(file) {
  if (MODELS.test(file.name)) return true;
  return (
    (await file
      .slice(0, MAGIC.length)
      .text()
      .catch(() => "")) === MAGIC
  );
}
