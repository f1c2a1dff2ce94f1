# A front door to CMake: installs what is missing, builds and runs. The work is in scripts/ and
# CMakePresets.json; whoever prefers CMake needs none of this.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PREFIX ?= /usr/local
SECONDS_EACH ?= 60
export PREFIX SECONDS_EACH BENCH_ARGS ACCURACY_ARGS STAGES JOBS

TARGETS := help deps build demo test sanitize accuracy bench format tidy fuzz install uninstall clean
.PHONY: $(TARGETS)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the Debian packages that the build and the tests need and that are missing
	@scripts/dependencies.sh build test
	@echo "Everything that is needed is installed."

build: ## build the library and the program in release mode (build/release)
	@scripts/dependencies.sh build
	@scripts/build.sh release

demo: ## install what is missing, build, and infer the Lotka-Volterra parameters
	@scripts/demo.sh

test: ## install what is missing, build, and run all tests, those of the Python package too
	@scripts/test.sh

sanitize: ## run the unit tests under the address, undefined-behaviour and thread sanitizers
	@STAGES="asan tsan" scripts/test.sh

accuracy: ## run the paper's experiments on many seeds and compare with the truth (long)
	@scripts/accuracy.sh

bench: ## run the benchmarks (BENCH_ARGS=--benchmark_filter=...)
	@scripts/bench.sh

format: ## format all C++ files with clang-format 14
	@scripts/format.sh

tidy: ## run clang-tidy 14 over the sources
	@scripts/tidy.sh

fuzz: ## fuzz every reader of files for SECONDS_EACH=60 seconds
	@scripts/fuzz.sh

install: ## install under PREFIX=/usr/local
	@scripts/install.sh

uninstall: ## take away what 'make install' put in place
	@scripts/uninstall.sh

clean: ## remove everything that was built
	rm -rf build
