// The vocabularies that come with the page; the first is in the memory snapshot.

export const SAMPLES = [
  { name: "gpt-2", label: "GPT-2", facts: "BPE · 50,257 tokens" },
  { name: "mistral-v1", label: "Mistral v1", facts: "SPM · 32,000 tokens" },
  { name: "qwen2", label: "Qwen2", facts: "BPE · 151,936 tokens" },
  { name: "mistral-tekken", label: "Mistral Nemo (Tekken)", facts: "BPE · 131,072 tokens" },
  { name: "phi-3", label: "Phi-3 mini", facts: "SPM · 32,064 tokens" },
  { name: "bert-bge", label: "BGE small", facts: "WPM · 30,522 tokens" },
  { name: "t5", label: "T5", facts: "UGM · 32,128 tokens" },
  { name: "rwkv", label: "RWKV World", facts: "RWKV · 65,536 tokens" },
];

export function sampleUrl(name) {
  return new URL(`samples/${name}.gguf`, document.baseURI);
}
