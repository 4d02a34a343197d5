"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# Machines are shared: a slow example is no fault. Tests that mind time measure it themselves.
# CI tries the same examples every time, so that what it says is of the change; others try new ones.
settings.register_profile("patient", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("patient")
