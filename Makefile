# Everything runs from a fresh clone: each target makes what it needs.
#   make serve [PORT=8000]   the page, on http://localhost:8000
#   make test                unit tests here and in Pyodide, doctests, the page in a real Chromium
#   make e2e-firefox         the page in Debian's Firefox, as far as that can be driven
#   make matrix              unit tests on every Python that this machine has
#   make fuzz [SECONDS=60] [TARGET=reader] [JOBS=1]   hostile files, texts and templates
#   make mutate              which changes of the core no test notices
#   make audit               known faults of what the project is built and tested with
#   make requirements        newer versions of that, pinned with hashes
#   make lint | bench | site | docs | clean
PYTHON ?= python3
PORT ?= 8000
PY := .venv/bin/python
PAGE_SOURCES := $(shell find web pyodide_tok docs -type f -not -name '*.py[co]') \
	mkdocs.yml pyproject.toml package-lock.json \
	tools/build_site.py tools/bundle.mjs tools/lock_wheel.py tools/make_snapshot.mjs tools/precache.py
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: serve test unit mutate fuzz e2e e2e-firefox test-pyodide dist-check matrix matrix-quick lint bench site docs audit requirements clean

serve: site
	$(PY) tools/serve.py --port $(PORT)

site: dist/snapshot.bin.gz

docs: .venv/.site
	$(PY) -m mkdocs build --strict

# Two at a time, each of one core; what each said is shown when it ends.
test: .venv/.test .venv/.reference build/pyodide/.fetched dist/snapshot.bin.gz
	@echo "The unit tests, the page's, and those in Pyodide: about ten minutes."
	$(MAKE) --jobs=2 --output-sync=target e2e unit test-pyodide

# Every line and branch of the package is run by the tests that are watched.  That takes them more
# than twice the time, so those whose many rows find no further line are not.
UNWATCHED := reference live_reference field_reports dask docs bpe pretokenizers spm wordpiece rwkv
UNWATCHED := $(UNWATCHED:%=tests/test_%.py)
unit: .venv/.test .venv/.reference node_modules/.package-lock.json
	$(PY) -m pytest $(UNWATCHED)
	$(PY) -m coverage run -m pytest $(UNWATCHED:%=--ignore=%)
	$(PY) -m coverage report
	node --test tests/js/*.test.*js

# What changes of gguf.py, fragments.py and pieces.py no test notices: see docs/mutation.md.
mutate: .venv/.test .venv/.mutate
	HYPOTHESIS_PROFILE=few CI=1 $(PY) -m mutmut run --max-children $(or $(JOBS),2)
	$(PY) -m mutmut results

e2e: .venv/.test dist/snapshot.bin.gz
	$(PY) -m tools.chromium
	$(PY) -m pytest e2e

# 25 minutes, so not in CI.  What is skipped, and why, is shown at the end.
e2e-firefox: .venv/.test dist/snapshot.bin.gz
	$(PY) -m tools.firefox
	BROWSER=firefox $(PY) -m pytest e2e -rs

# Each target for so many seconds; what fails is kept in .fuzz/found.
fuzz: .venv/.test .venv/.fuzz
	$(PY) -m tests.fuzz $(TARGET) --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1)

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
	$(PY) -m tools.chromium
	$(PY) -m bench

# Known faults of what the project is built and tested with.
audit: .venv/.audit node_modules/.package-lock.json
	$(PY) tools/audit.py

# Newer versions of everything in requirements/.
requirements: | $(PY)
	$(PY) -m venv .venv/uv
	.venv/uv/bin/python -m pip install --quiet uv
	PATH=.venv/uv/bin:$$PATH $(PY) tools/lock.py

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

# One stamp for each of requirements/; the first also installs the package itself.
STAMPS := $(addprefix .venv/.,test lint bench site dist mutate audit)
LOCKED := -m pip install --quiet --require-hashes --requirement
$(STAMPS): .venv/.%: requirements/%.txt | .venv/.editable
	$(PY) $(LOCKED) $<
	@touch $@

.venv/.editable: requirements/editable.txt pyproject.toml | $(PY)
	$(PY) $(LOCKED) $<
	$(PY) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# pyodide-lock wants Python 3.12; without one tools/lock_wheel.py does its work.
.venv/.lock: requirements/lock.txt tools/pythons.py | $(PY)
	rm -rf .venv/lock
	if newest=$$($(PY) tools/pythons.py 3.12); then \
		"$$newest" -m venv .venv/lock && .venv/lock/bin/python $(LOCKED) $<; \
	fi
	@touch $@

# The live reference has no wheel for every machine; its tests skip where it is missing.
.venv/.reference: requirements/reference.txt | .venv/.editable
	$(PY) $(LOCKED) $< || echo "No live reference here: its tests will skip."
	@touch $@

# Nor has the fuzzer; without it the fuzz targets are given random bytes.
.venv/.fuzz: requirements/fuzz.txt | .venv/.editable
	$(PY) $(LOCKED) $< || echo "No atheris here: fuzzing by random bytes."
	@touch $@
