# Targets for newcomers and CI. `make help` lists them.
#
#   MPI=openmpi|mpich    MPI for `make demo` and `make examples`
#   ARGS='-k nested'     more arguments for pytest
#   GROUPS='cargo page'  groups of tests to run (tools/run-tests --help)
#   PREFIX=dir DESTDIR=dir  where `make install` installs
#   MPISCOPE_CACHE=dir   where test environments are shared between checkouts
#   CARGO_TARGET_DIR     is used if set

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

JOBS := $(shell nproc 2>/dev/null || echo 2)
MPI ?= $(shell command -v mpicc.openmpi >/dev/null && echo openmpi || { command -v mpicc.mpich >/dev/null && echo mpich; } || echo openmpi)
MPISCOPE_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/mpiscope

built := $(abspath $(or $(CARGO_TARGET_DIR),target))/release
# The executables and libraries that cargo builds.
tool := $(addprefix $(built)/,mpiscope libmpiscope.so libmpiscope_tsan.so libmpiscope_yield.so libmpiscope_openmp.so)
# Tests run these copies: another checkout may share the target directory and build meanwhile.
bin := $(CURDIR)/build/bin
venv := build/venv
requirements := tests/boundary/requirements.txt
pack_venv := build/venv-packages
PREFIX ?= /usr/local
arm := aarch64-unknown-linux-gnu

# Same options as `cargo test --workspace`: a single crate would have other features, and its libraries would be rebuilt.
example := cargo build --release -q --workspace --example

# Tests would inherit signals that a background job or nohup ignores; some tests need ^C.
default_signals := env --default-signal

.PHONY: help
help: ## Show this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do \
	    printf '  make %-10s %s\n' "$$name" "$$text"; done

.PHONY: demo
demo: ## Install missing packages, build, record a 2-D halo solver on 16 ranks, print its report
	tools/need examples-$(MPI)
	cargo build --release
	$(MAKE) -j$(JOBS) -C examples MPI=$(MPI)
	$(built)/mpiscope run -n 16 --force -o build/demo.mpiscope \
	    build/examples/$(MPI)/halo2d --iters 500 --work 20 --slow-rank 5
	$(built)/mpiscope report build/demo.mpiscope
	@echo "mpiscope: for the full report type: $(built)/mpiscope report build/demo.mpiscope --full" >&2

.PHONY: build
build: ## Build mpiscope and its libraries in release mode; needs no MPI
	tools/need build
	cargo build --release

.PHONY: examples
examples: ## Build the example programs for MPI=openmpi|mpich into build/examples
	tools/need examples-$(MPI)
	$(MAKE) -j$(JOBS) -C examples MPI=$(MPI)

.PHONY: test
test: ## Install missing packages, build, and run every test
	tools/need test viewer lint
	+@tools/run-tests $(GROUPS)

.PHONY: test-under-load
test-under-load: ## Run every test RUNS=10 times while LOAD=4 other processes compute; 4 hours
	tools/need test viewer lint
	+@tools/run-tests --runs $(or $(RUNS),10) --load $(or $(LOAD),4) $(GROUPS)

# With all that tests run, so that no group of them waits for cargo.
.PHONY: tested
tested:
	cargo build --release --workspace
	$(example) causality --example synthetic_run

.PHONY: boundary
boundary: ## Run only the tests with real programs under real launchers
	tools/need test
	@$(MAKE) --no-print-directory tested
	@$(MAKE) --no-print-directory boundary-only

.PHONY: boundary-only
boundary-only: built-programs $(venv)/.ready
	install -D -t $(bin) $(tool) $(built)/examples/causality
	$(default_signals) MPISCOPE_BIN_DIR=$(bin) MPISCOPE_CACHE=$(MPISCOPE_CACHE) \
	    $(venv)/bin/python -m pytest tests/boundary -n 2 --dist loadgroup $(ARGS)

# The built page is in the repository, so that installing mpiscope does not need Node.
viewer/node_modules/.ready: viewer/package-lock.json
	tools/need viewer
	cd viewer && npm ci --silent
	touch $@

.PHONY: viewer
viewer: viewer/node_modules/.ready ## Build the viewer's page, viewer/dist
	cd viewer && npm run --silent build

.PHONY: viewer-check
viewer-check: viewer ## Run the viewer's unit tests, and check that viewer/dist is up to date
	cd viewer && npm test --silent
	@! grep -n '"resolved"' viewer/package-lock.json
	@[ "$$(cat viewer/dist/*.js | gzip -9 | wc -c)" -le 153600 ] || { echo "the viewer's scripts are larger than 150 KB gzipped" >&2; false; }
	@git diff --exit-code --stat -- viewer/dist && [ -z "$$(git ls-files --others --exclude-standard viewer/dist)" ] || \
	    { echo "viewer/dist is out of date; type: make viewer, and commit it" >&2; false; }

.PHONY: viewer-test
viewer-test: viewer-check ## Test the viewer end to end: real runs, the real server, Chromium
	tools/need examples-openmpi
	@$(MAKE) --no-print-directory tested
	@$(MAKE) --no-print-directory viewer-only

.PHONY: viewer-only
viewer-only:
	$(MAKE) -s -j$(JOBS) -C examples MPI=openmpi
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) node --test $(ARGS) tests/viewer/all.test.mjs

.PHONY: built-programs
built-programs:
	@for mpi in openmpi mpich; do \
	    $(MAKE) -s -j$(JOBS) -C examples MPI=$$mpi; \
	    $(MAKE) -s -C tests/counter MPI=$$mpi; \
	    $(MAKE) -s -j$(JOBS) -C tests/planted MPI=$$mpi; \
	done

.PHONY: programs
programs: build built-programs $(venv)/.ready ## Run third-party applications and all of mpi4py's tests; 30 minutes
	tools/need programs
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) $(venv)/bin/python tests/programs/run.py $(ARGS)
	MPISCOPE_BIN_DIR=$(bin) MPISCOPE_CACHE=$(MPISCOPE_CACHE) $(venv)/bin/python tests/programs/mpi4py_suite.py

.PHONY: compatibility
compatibility: build built-programs $(venv)/.ready ## Test what is recorded under which MPI; writes docs/compatibility.md
	tools/need test
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) MPISCOPE_CACHE=$(MPISCOPE_CACHE) $(venv)/bin/python tests/compatibility.py

.PHONY: planted
planted: ## Run programs with known waits: precision and recall of the report's findings; 17 minutes
	tools/need examples-openmpi examples-mpich
	cargo build --release
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) python3 tests/planted/run.py --json build/planted/results.json $(ARGS)

.PHONY: predicted
predicted: ## Predict changes of programs, make the changes, and compare; 12 minutes
	tools/need examples-openmpi examples-mpich
	cargo build --release
	install -D -t $(bin) $(tool)
	$(if $(ARGS),,MPISCOPE_BIN_DIR=$(bin) python3 tests/predicted/scaling.py --json build/predicted/scaling.json)
	MPISCOPE_BIN_DIR=$(bin) python3 tests/predicted/run.py --json build/predicted/results.json $(ARGS)

.PHONY: tuned
tuned: ## Tune programs with planted bad settings, and programs without a gain; 30 minutes
	tools/need examples-openmpi examples-mpich
	cargo build --release
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) python3 tests/tuned/run.py --json build/tuned/results.json $(ARGS)

.PHONY: skeletons
skeletons: ## Run skeletons of well-known codes: check the detected loops, grids and patterns; 5 minutes
	tools/need examples-openmpi examples-mpich
	cargo build --release
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) python3 tests/planted/skeletons/run.py $(ARGS)

.PHONY: checked
checked: ## Run programs with one MPI error each, and their correct twins, under mpiscope check; 25 minutes
	tools/need examples-openmpi examples-mpich
	cargo build --release
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) python3 tests/checked/run.py --json build/checked/results.json $(ARGS)

.PHONY: checked-right
checked-right: build built-programs $(venv)/.ready ## Run correct third-party programs under mpiscope check: expect no certain findings
	tools/need programs
	install -D -t $(bin) $(tool)
	MPISCOPE_BIN_DIR=$(bin) MPISCOPE_CACHE=$(MPISCOPE_CACHE) $(venv)/bin/python tests/checked/right.py $(ARGS)

$(venv)/.ready: $(requirements)
	python3 -m venv $(venv)
	$(venv)/bin/python -m pip install -q --disable-pip-version-check -r $(requirements)
	touch $@

.PHONY: bench
bench: build ## Measure the cost per call under both MPIs, with controls
	python3 bench/run.py $(ARGS)

.PHONY: install
install: build ## Install the command, its libraries, manual pages and completions into PREFIX (default /usr/local)
	tools/install-into $(DESTDIR)$(PREFIX) $(built)

.PHONY: packages
packages: $(pack_venv)/.ready ## Build and check the wheel (for glibc 2.28 or newer) and the Debian package, in build/packages
	rm -rf build/packages
	PATH=$(CURDIR)/$(pack_venv)/bin:$$PATH MPISCOPE_GLIBC=2.28 $(pack_venv)/bin/python -m pip wheel \
	    --disable-pip-version-check --no-deps --no-build-isolation -w build/packages .
	packaging/deb build/packages
	$(default_signals) $(pack_venv)/bin/python -m pytest -q -p no:cacheprovider tests/packages $(ARGS)

$(pack_venv)/.ready: tests/packages/requirements.txt
	tools/need packages
	python3 -m venv $(pack_venv)
	$(pack_venv)/bin/python -m pip install -q --disable-pip-version-check -r $<
	touch $@

.PHONY: aarch64
aarch64: ## Build the workspace for AArch64; skipped if its Rust target or linker is missing
	@if ! test -d "$$(rustc --print sysroot)/lib/rustlib/$(arm)"; then \
	    echo "mpiscope: skipped; for AArch64 type: rustup target add $(arm)" >&2; \
	elif ! command -v aarch64-linux-gnu-gcc >/dev/null; then \
	    echo "mpiscope: skipped; for AArch64 type: sudo apt-get install gcc-aarch64-linux-gnu" >&2; \
	else \
	    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	        cargo build --release --workspace --target $(arm); \
	fi

.PHONY: fmt
fmt: ## Format the Rust code
	cargo fmt --all

.PHONY: lint
lint: ## Check formatting, clippy and the documentation of the Rust code; warnings are errors
	tools/need lint
	@$(MAKE) --no-print-directory lint-only

# In release mode, so that build scripts and procedural macros are those of the build. The library and the command are both
# named mpiscope, so that their pages would have the same path.
.PHONY: lint-only
lint-only: export RUSTDOCFLAGS := -D warnings
lint-only:
	cargo fmt --all --check
	@without=$$(grep -LzP '(?m)^\[lints\]\nworkspace = true$$' crates/*/Cargo.toml) || true; [ -z "$$without" ] || \
	    { echo "without the lints of the workspace: add [lints] workspace = true to" $$without >&2; false; }
	cargo clippy --release --workspace --all-targets -- -D warnings
	cargo doc --release --no-deps --document-private-items --workspace --exclude mpiscope-collector
	cargo doc --release --no-deps --document-private-items -p mpiscope-collector

.PHONY: clean
clean: ## Remove build/ (not cargo's target directory)
	rm -rf build
