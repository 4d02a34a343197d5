# Everything runs from a fresh clone: each target makes what it needs.
#   make serve [PORT=8000]   the page, on http://localhost:8000
#   make test                unit tests, doctests and the page in a real Chromium
#   make lint | bench | site | docs | clean
PYTHON ?= python3
PORT ?= 8000
PY := .venv/bin/python
PAGE_SOURCES := $(shell find web pyodide_tok docs -type f -not -name '*.py[co]') \
	mkdocs.yml pyproject.toml package-lock.json tools/build_site.py tools/make_snapshot.mjs
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: serve test unit e2e lint bench site docs clean

serve: site
	$(PY) tools/serve.py --port $(PORT)

site: dist/build.js

docs: .venv/.site
	$(PY) -m mkdocs build --strict

test: unit e2e

unit: .venv/.test .venv/.reference
	$(PY) -m pytest
	node --test tests/js/

e2e: .venv/.test dist/build.js
	$(PY) tools/chromium.py
	$(PY) -m pytest e2e

lint: .venv/.lint
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

bench: .venv/.bench dist/build.js bench/node_modules/.package-lock.json
	$(PY) tools/chromium.py
	$(PY) -m bench

clean:
	rm -rf .venv node_modules bench/node_modules dist build e2e/shots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

dist/build.js: .venv/.site node_modules/.package-lock.json $(PAGE_SOURCES)
	$(PY) tools/build_site.py

node_modules/.package-lock.json: package.json package-lock.json .npmrc
	npm ci --no-fund --no-audit
	@touch $@

bench/node_modules/.package-lock.json: bench/package.json bench/package-lock.json bench/.npmrc
	npm ci --prefix bench --no-fund --no-audit
	@touch $@

$(PY):
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --upgrade pip

# One stamp for each dependency group of pyproject.toml.
.venv/.test .venv/.lint .venv/.bench .venv/.site: .venv/.%: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --editable . --group $*
	@touch $@

# The live reference has no wheel for every machine; its tests skip where it is missing.
.venv/.reference: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --group reference || echo "No live reference here: its tests will skip."
	@touch $@
