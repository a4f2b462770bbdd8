# Two commands do everything: `make reproduce` and `make test`. Each makes its own .venv if it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: reproduce test venv benchmark clean

reproduce: $(STAMP)
	$(BIN)/attnq reproduce --out output

test: $(STAMP)
	$(BIN)/ruff check python tests benchmarks
	$(BIN)/mypy
	$(BIN)/pytest -n auto

venv: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; this is " + sys.version.split()[0] + " (choose another with: make PYTHON=python3.12 ...)")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lean,dev]'
	@touch $(STAMP)

benchmark: $(STAMP)
	$(BIN)/python benchmarks/single_head.py

clean:
	rm -rf $(VENV) output build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
