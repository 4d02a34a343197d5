"""How a text was split, step by step."""
