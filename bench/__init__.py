"""Speed, memory and start-up, side by side with other tokenizers. `make bench` runs all of it."""
