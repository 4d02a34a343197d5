"""GGUF files: bytes to metadata."""
