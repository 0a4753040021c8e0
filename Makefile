# Everything by name. Each target sets up what it needs on a bare Debian 12 machine.
#   make demo          the same MPI program with its MPI's own I/O and with Tributary
#   make test          build and run the tests        (PRESET=dev|release|asan|tsan)
#   make bench         benchmarks, against the MPIs' own MPI-IO   (QUICK=1 for a short run)
#   make fuzz          the long property run           (CASES=100000)
#   make conformance   other projects' test suites
#   make lint          formatter and static analyser
PRESET ?= dev
CASES ?= 100000
JOBS ?= $(shell nproc)
BUILD = build/$(PRESET)

.PHONY: all setup build release demo test bench fuzz conformance lint format clean
all: build

setup:
	scripts/setup.sh test

build: setup
	cmake --preset $(PRESET)
	cmake --build $(BUILD) -j $(JOBS)

test: build
	ctest --preset $(PRESET)

release: setup
	cmake --preset release
	cmake --build build/release -j $(JOBS)

demo:
	scripts/setup.sh build
	cmake --preset release -B build/library -DTRIBUTARY_TESTS=OFF -DTRIBUTARY_BENCHMARKS=OFF
	cmake --build build/library -j $(JOBS)
	scripts/demo.sh build/library

bench: release
	scripts/bench.sh

fuzz: PRESET = release
fuzz: release
	tests/support/fuzz.sh build/release $(CASES)

conformance: release
	cmake --build build/release --target conformance

lint:
	scripts/setup.sh lint
	scripts/lint.sh

format:
	git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build
