// The vocabularies that come with the page; the first is in the memory snapshot.

export const SAMPLES = [
  { name: "gpt-2", label: "GPT-2 (BPE)" },
  { name: "mistral-v1", label: "Mistral v1 (SPM)" },
  { name: "bert-bge", label: "BGE small (WPM)" },
  { name: "t5", label: "T5 (UGM)" },
  { name: "rwkv", label: "RWKV World (RWKV)" },
];

export function sampleUrl(name) {
  return new URL(`samples/${name}.gguf`, document.baseURI);
}
