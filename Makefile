# Everything runs from a fresh clone: each target makes what it needs.
#   make serve [PORT=8000]   the page, on http://localhost:8000
#   make test                unit tests here and in Pyodide, doctests, the page in a real Chromium
#   make matrix              unit tests on every Python that this machine has
#   make lint | bench | site | docs | clean
PYTHON ?= python3
PORT ?= 8000
PY := .venv/bin/python
PAGE_SOURCES := $(shell find web pyodide_tok docs -type f -not -name '*.py[co]') \
	mkdocs.yml pyproject.toml package-lock.json \
	tools/build_site.py tools/lock_wheel.py tools/make_snapshot.mjs
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: serve test unit e2e test-pyodide dist-check matrix matrix-quick lint bench site docs clean

serve: site
	$(PY) tools/serve.py --port $(PORT)

site: dist/snapshot.bin.gz

docs: .venv/.site
	$(PY) -m mkdocs build --strict

test: unit e2e test-pyodide

unit: .venv/.test .venv/.reference
	$(PY) -m pytest
	node --test tests/js/

e2e: .venv/.test dist/snapshot.bin.gz
	$(PY) tools/chromium.py
	$(PY) -m pytest e2e

test-pyodide: build/pyodide/.fetched dist/snapshot.bin.gz
	node tools/pyodide_tests.mjs dist/pyodide build/pyodide

# The wheel and the source distribution: the same bytes each time, with what they should have.
dist-check: .venv/.dist
	$(PY) tools/dist_check.py

# The wheel in an environment of its own for each Python here; quick: some tests, on the others.
matrix matrix-quick: .venv/.dist
	$(PY) -m tools.matrix $(if $(filter %quick,$@),--quick)

lint: .venv/.lint
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

bench: .venv/.bench dist/snapshot.bin.gz bench/node_modules/.package-lock.json
	$(PY) tools/chromium.py
	$(PY) -m bench

clean:
	rm -rf .venv node_modules bench/node_modules dist build e2e/shots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

dist/snapshot.bin.gz: .venv/.site .venv/.lock node_modules/.package-lock.json $(PAGE_SOURCES)
	$(PY) tools/build_site.py

build/pyodide/.fetched: pyproject.toml tools/pyodide_wheels.py node_modules/.package-lock.json | $(PY)
	$(PY) tools/pyodide_wheels.py build/pyodide
	@touch $@

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
.venv/.test .venv/.lint .venv/.bench .venv/.site .venv/.dist: .venv/.%: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --editable . --group $*
	@touch $@

# pyodide-lock wants Python 3.12; without one tools/lock_wheel.py does its work.
.venv/.lock: pyproject.toml tools/pythons.py | $(PY)
	rm -rf .venv/lock
	if newest=$$($(PY) tools/pythons.py 3.12); then \
		"$$newest" -m venv .venv/lock && .venv/lock/bin/python -m pip install --quiet --upgrade pip && \
		.venv/lock/bin/python -m pip install --quiet --group lock; \
	fi
	@touch $@

# The live reference has no wheel for every machine; its tests skip where it is missing.
.venv/.reference: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --group reference || echo "No live reference here: its tests will skip."
	@touch $@
