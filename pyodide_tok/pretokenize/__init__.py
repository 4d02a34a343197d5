"""BPE's pre-tokenizers: a text to words."""
