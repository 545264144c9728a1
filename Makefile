# Everything runs in $(VENV), made from any Python 3.11 or later and filled with the versions in constraints.txt.
# A second run of a target starts at once: the stamp files in $(VENV) say that it is filled.

VENV ?= .venv
BIN := $(VENV)/bin
# How many processes share the tests; 0 is this one alone, as --pdb needs it.
JOBS ?= 2
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := help
.PHONY: help serve test demo lint conformance clients constraints

help:
	@echo "make serve   set everything up, start the server on ./data or \$$GENIFFY_DATA, print what to do next"
	@echo "make demo    set everything up; a scripted minute against a throwaway server"
	@echo "make test    set everything up, pass the tests (ARGS=tests/cli for some of them, JOBS=0 for one after the other)"
	@echo "make lint    set everything up, check style and types"
	@echo "make conformance   the MCP project's own suites against a throwaway server (needs npm)"
	@echo "make clients       real MCP clients sign in to a throwaway server (needs npm)"

serve: $(VENV)/.server
	@exec $(BIN)/geniffy-server serve $(ARGS)

demo: $(VENV)/.server
	@exec $(BIN)/python demo/minute.py

test: $(VENV)/.dev chromium
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(ARGS)

# The tests in tests/browser drive Debian's own browser; elsewhere, or without rights, they say what is missing.
.PHONY: chromium
chromium:
	@if ! [ -x /usr/bin/chromium ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the browser tests"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null; \
	fi; \
	[ -x /usr/bin/chromium ] || echo "The browser tests need Chromium: apt-get install chromium" >&2

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

conformance: $(VENV)/.dev
	@$(BIN)/python -m tests.conformance.run $(VENV)/conformance

clients: $(VENV)/.dev
	@$(BIN)/python -m tests.conformance.clients.run $(VENV)/clients

# The versions that pass the tests become the ones that everyone gets.
constraints: $(VENV)/.dev
	@$(PIP) freeze --exclude-editable > constraints.txt

$(VENV)/.server: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing the server into $(VENV)"
	@$(PIP) install -e '.[server,llm]' -c constraints.txt
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing the server and its tools into $(VENV)"
	@$(PIP) install -e '.[all,dev]' -c constraints.txt
	@touch $(VENV)/.server $@

$(BIN)/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    exec $$python -m venv $(VENV); \
	  fi; \
	done; \
	echo "Python 3.11 or later with venv is needed (Debian: apt-get install python3-venv); or name one: make PYTHON=/path/to/python3" >&2; \
	exit 1
