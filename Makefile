# Each target sets up what it needs: a virtual environment in .venv, and nothing outside this folder.
PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled when they are first imported, not all at once: half the time of an installation.
INSTALL := $(BIN)/pip install --quiet --no-compile
# Tests run in one process more than there are cores, because some wait for a browser or a server; more threads than
# that only wait for one another.
WORKERS := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
ONE_THREAD := OPENBLAS_NUM_THREADS=1 POLARS_MAX_THREADS=1 ICEFIRE_THREADS=1

.PHONY: demo test test-heavy lint docs bench dist clean

demo: .venv/runtime
	$(BIN)/icefire demo

test: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(ONE_THREAD) $(BIN)/pytest -m "not heavy" -n $(WORKERS) --dist loadfile

test-heavy: .venv/test
	$(BIN)/pytest -m heavy

lint: .venv/test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: .venv/bench
	$(BIN)/python -m benchmarks

dist: .venv/dist
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/repo-review .

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "icefire needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip uninstall --quiet --yes setuptools  # Python 3.11 brings it, and nothing here uses it: 9 MB

.venv/runtime: .venv/bin/python pyproject.toml
	$(INSTALL) --editable .
	touch $@

.venv/test: .venv/bin/python pyproject.toml
	$(INSTALL) --editable '.[test]'
	touch $@

.venv/docs: .venv/bin/python pyproject.toml
	$(INSTALL) --editable '.[docs]'
	touch $@

.venv/bench: .venv/bin/python pyproject.toml
	$(INSTALL) --editable '.[bench]'
	touch $@

.venv/dist: .venv/bin/python
	$(INSTALL) 'build>=1.2' 'twine>=6' 'sp-repo-review[cli]>=2025.1'
	touch $@

clean:
	rm -rf .venv build dist icefire-demo study-*
