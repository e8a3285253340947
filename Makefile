# Everything from nothing: each target makes the environment it needs, then does its work.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CORE := $(VENV)/.core

.PHONY: quickstart test test-portable test-docs test-slow test-browser lint docs bench bench-scale clean

quickstart: $(CORE)
	$(BIN)/garden quickstart

# One thread per worker: two workers with two threads each would fight over two cores.
test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 -q

# The same tests as other machines would run them; ENVIRONMENTS="a b" TESTS="tests/models" for some.
test-portable: $(STAMP)
	$(BIN)/python tests/portable.py $(ENVIRONMENTS) $(if $(TESTS),--tests $(TESTS))

# Minutes: ten thousand damaged files of every kind that is read, and whatever else is slow.
test-slow: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 -q -m slow

# The commands and Python blocks of the documentation that take longer than 10 s, cut short.
test-docs: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 -q -m docs tests/test_docs.py

# The page in the system's Chromium; where there is none they are skipped with a reason.
test-browser: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -q -m browser tests/web

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Offline: nothing is fetched, and a warning is an error. Notebooks run once and are cached.
docs: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

bench: $(STAMP)
	for benchmark in benchmarks/[a-z]*.py; do $(BIN)/python $$benchmark || exit 1; done

# Up to a million nodes, some minutes and gigabytes: tables and figure of results/scale.
bench-scale: $(STAMP)
	$(BIN)/python benchmarks/scale.py --out results/scale
	$(BIN)/python benchmarks/million.py --out results/scale

$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "garden needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

$(STAMP): $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis garden-quickstart
