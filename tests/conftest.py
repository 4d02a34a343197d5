"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# Machines are shared: a slow example is no fault. Tests that mind time measure it themselves.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
