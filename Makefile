# Every target sets up its own environment: nothing to do beforehand.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# The matrices are small: threads of the linear algebra would only fight each other for the cores.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test net docs coverage engines test-slow fuzz bounds dist calibrate calibrate-quick bench mutants format clean

demo: $(READY)
	$(BIN)/betterthan demo

test: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -n 2

# Known numbers, recorded before the redesign: tests/net/README.md. Its few cases on public data are
# skipped where these do not lie beside the checkout.
net: NO_DATA := $(if $(wildcard ../shared/data),,tests/net/without_data.toml)
net: $(READY)
	@$(if $(NO_DATA),echo "skipped: the cases on public data - they are not beside this checkout",true)
	cat tests/net/accepted.toml $(NO_DATA) > .venv/accepted.toml
	$(BIN)/python tests/net/net.py check tests/net/golden.json --accepted .venv/accepted.toml

# The documentation as a site in site/; the tests build it as well. `python -m http.server -d site` shows it.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The same as test, a third slower, with the lines that no test reaches.
coverage: $(READY)
	$(BIN)/python -m pytest -q -n 2 --cov --cov-report=term

# The same tables in Spark and Ibis, which need a Java runtime; it is installed where there is none.
engines: $(READY)
	command -v java > /dev/null || { apt-get update && apt-get install -y --no-install-recommends default-jre-headless; }
	$(BIN)/python -m pip install --quiet pyspark "ibis-framework[duckdb]"
	$(BIN)/python -m pytest -q tests/readers/test_same_everywhere.py tests/readers/test_judgment_files.py -m "spark or not slow" -k "spark or ibis"

test-slow: $(READY)
	$(BIN)/python -m pytest -q -m slow

# `make fuzz SEED=7` repeats a run; what is found is in tests/fuzz/found.
fuzz: SEED := $(or $(SEED),$(shell date +%s))
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds 600 --seed $(SEED)

# The lowest and the highest versions of everything, for every Python there is; and the packages.
bounds: $(READY)
	$(BIN)/python tools/installed.py bounds -n 2

dist: $(READY)
	$(BIN)/python tools/installed.py dist

# `make calibrate DATA=FOLDER` resamples real boards as well: tables SET__METRIC.csv.
calibrate: $(READY)
	$(BIN)/python -m calibrate --workers 2 $(if $(DATA),--data $(DATA))

calibrate-quick: $(READY)
	$(BIN)/python -m calibrate --quick --workers 2

bench: $(READY)
	$(BIN)/python -m bench

# `make mutants MODULES="intervals testing/ranks" SAMPLE=0` (0: all, which takes hours).
mutants: MODULES := exact intervals testing comparison
mutants: SAMPLE := 15
mutants: $(READY)
	$(BIN)/python tools/mutants.py $(MODULES) --sample $(SAMPLE)

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

clean:
	rm -rf .venv .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis dist site
