"""Metadata to a vocabulary."""
