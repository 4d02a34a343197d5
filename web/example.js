// A page of your own: how many tokens a text has for the model in a GGUF file, as you type.

import { createTokenizer } from "./client.js";

const [file, text, tokens] = ["file", "text", "tokens"].map((id) => document.getElementById(id));
let tokenizer = createTokenizer({ gguf: "samples/gpt-2.gguf" }); // a promise

/** Take another model: a File, Blob, ArrayBuffer, typed array or address. */
export async function use(gguf) {
  tokenizer.then(
    (old) => old.dispose(),
    () => {},
  );
  tokenizer = createTokenizer({ gguf });
  await show();
}

async function show() {
  try {
    const ids = await (await tokenizer).encode(text.value);
    tokens.textContent = `${ids.length} tokens: ${ids.join(" ")}`;
  } catch (error) {
    tokens.textContent = error.message; // a TokenizerError; error.code is for programs
  }
}

file.addEventListener("change", () => file.files[0] && use(file.files[0]));
text.addEventListener("input", show);
await show();
