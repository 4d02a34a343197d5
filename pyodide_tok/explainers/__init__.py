"""The tokenizers once more, told step by step: the plain algorithms, without any memory."""
