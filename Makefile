# make train    installs what is missing and trains on the built-in game   (make train ARGS="--seed 1")
# make test     installs what is missing and runs lint, types and tests   (make test ARGS="tests/env -x"; ARGS="-n 0": one process)
# make setup    installs only
# make docs     builds the documents as a site, build/site/index.html
# make fast     builds the emulator anew, from mGBA's source: games run faster   (make fast MGBA_SOURCE=folder: from your own)
# make help     prints this
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RAY := $(VENV)/.ray
SOURCES := requirements.txt requirements.lock requirements-cpu.lock setup.py pyproject.toml $(wildcard $(addprefix emerald_env/emulator/,*.c *.h skips/*.c parts/*.c build_shim.py) $(addprefix baselines/learner/policy/cnn/,*.c *.h build_tiles.py) $(addprefix emerald_env/state/parts/around/,*.c *.h build_walks.py))
# PyTorch's own index of builds without CUDA, for machines without an NVIDIA GPU
TORCH := torch==2.13.0
TORCH_CPU := https://download.pytorch.org/whl/cpu

.PHONY: train test setup lint fast docs help
train: $(READY)
	$(BIN)/emerald train $(ARGS)

test: lint $(RAY)
	$(BIN)/python -m pytest -n logical --maxprocesses 4 --dist worksteal --durations 10 $(ARGS)

lint: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

docs: $(READY)
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	PYTHONPATH=. NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

setup: $(READY)

help:
	@sed -n 's/^# make/make/p' $(firstword $(MAKEFILE_LIST))

# where nothing was built yet, setup builds that at once, and wants no libmgba of the system
fast:
	test -n "$(MGBA_SOURCE)" || $(PYTHON) emerald_env/emulator/static/fetch_mgba.py .cache/mgba
	export MGBA_REQUIRED=1 MGBA_SOURCE="$(or $(MGBA_SOURCE),.cache/mgba)"; if $(MAKE) -q $(READY); \
	then $(BIN)/python setup.py --quiet build_ext --inplace; else $(MAKE) setup; fi

$(READY): $(SOURCES)
	sh .ci/system_packages $(PYTHON)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	if command -v nvidia-smi >/dev/null || [ "$$(uname)" = Darwin ]; then \
	  $(BIN)/python -m pip install --quiet $(TORCH); \
	else \
	  $(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements-cpu.lock 2>/dev/null \
	  || $(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements-cpu.lock --extra-index-url $(TORCH_CPU) 2>/dev/null \
	  || { echo "PyTorch's index of CPU builds has none for this Python, or cannot be reached: installing PyPI's, which is larger, unchecked"; \
	       $(BIN)/python -m pip install --quiet $(TORCH); }; \
	fi
	# the versions and hashes that were tested; where this machine cannot have them, those that pyproject.toml allows
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock \
	|| echo "some of requirements.lock cannot be had here: installing what pyproject.toml allows, unchecked"
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

# only the tests want Ray (half a gigabyte), Minari, the Hub's client, MkDocs and Jupyter; those that need one are skipped where there is none
$(RAY): $(READY)
	for extra in ray minari hub docs notebook; do \
	  $(BIN)/python -m pip install --quiet -e ".[$$extra]" || echo "no extra $$extra for this Python: its tests are skipped"; \
	done
	touch $@
