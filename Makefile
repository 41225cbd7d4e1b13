# make demo     the main job on the example, in a minute, without a key or network
# make test     all checks and tests
# make lint     the checks alone
# make docs     man pages, completions and the reference, from the commands
# make bench    benchmarks, as ratios measured side by side (BENCH='--size 1g')
# make clean    remove what the others made

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help demo test lint docs bench clean

help:
	@sed -n 's/^# make /  make /p' Makefile

demo: $(VENV)/user.stamp
	@MEWCTL="$(CURDIR)/$(BIN)/mewctl" sh examples/demo.sh

test: lint
	$(BIN)/python -m pytest -q -n auto

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/user.stamp
	$(BIN)/python -m tools.generate

bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/run.py $(BENCH)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf .coverage benchmarks/data
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/bench.stamp: $(VENV)/user.stamp
	@$(PIP) install -e '.[bench]'
	@npm install --silent --prefix benchmarks/data tokenx || echo "bench: no tokenx"
	@touch $@

# An installation is done once, and again when pyproject.toml changes.
$(VENV)/user.stamp: pyproject.toml
	@echo "Installing mewctl into $(VENV) ..."
	@.ci/venv $(VENV)
	@$(PIP) install -e .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml
	@echo "Installing mewctl and its tools into $(VENV) ..."
	@.ci/venv $(VENV)
	@$(PIP) install -e '.[dev]'
	@touch $(VENV)/user.stamp $@
