# Each target does its own set-up in a virtual environment under this folder; see tools/setup.py.
#
#   PYTHON=python3.13    another Python to start from
#   BLENDER=4.2          another Blender than the default for that Python: 4.2, 4.5 or 5.2
#                        in test-window: a Blender program, or the Debian that has one, trixie or sid
#   ARGS="-k rigid -x"   more words for pytest, in test, test-all and test-window
#   ARGS=--short         a short form of bench; ARGS=--small, small pictures in demo

PYTHON ?= python3
BLENDER =
ARGS =
FILE =
ACTIVE =

VENV := .venv$(if $(BLENDER),-$(BLENDER))
RUN := $(VENV)/bin/python
CHECKS := .venv-checks/bin

# Thousands of systems of six unknowns: BLAS threads only get in one another's way.
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-window manual manual-pictures bench lint types extension validate clean
.PHONY: set-up set-up-checks set-up-manual

help:
	@echo "PhysPlace. Each of these sets up what it needs by itself:"
	@echo
	@echo "  make demo       place a bowl on a floor and a spoon in the bowl, in Blender; see out/"
	@echo "  make demo FILE=my.blend ACTIVE=Spoon"
	@echo "                  place an object of your own file (.blend, .obj, .glb) on all else in it"
	@echo "  make test       the whole test suite on one Blender; ARGS=\"-m 'not slow'\" leaves out what takes long"
	@echo "  make test-all   the whole test suite on Blender 4.2, 4.5 and 5.2 LTS"
	@echo "  make test-window BLENDER=/path/to/blender"
	@echo "                  the tests that need a Blender with a window; without BLENDER, on Debian as root,"
	@echo "                  with one that is installed under this folder"
	@echo "  make manual     the manual as a site of static pages, in out/manual"
	@echo "  make manual-pictures"
	@echo "                  take the manual's pictures anew, by window tests"
	@echo "  make bench      iterations, and the time of a step beside fcl and Blender's BVH tree;"
	@echo "                  with ARGS=--short only the first few"
	@echo "  make lint       ruff: style, likely mistakes, format"
	@echo "  make types      mypy, strict"
	@echo "  make extension  the extension's zip files for every platform, in dist/"
	@echo "  make validate   check what was built with Blender's own validator"
	@echo "  make clean      remove everything that these make"
	@echo
	@echo "Options: BLENDER=4.2 | 4.5 | 5.2, PYTHON=/path/to/python3.13, ARGS='-k rigid' for pytest,"
	@echo "         ARGS=--small for small pictures in demo"

set-up:
	@$(PYTHON) tools/setup.py $(if $(BLENDER),--blender $(BLENDER))

set-up-checks:
	@$(PYTHON) tools/setup.py --tools checks

set-up-manual:
	@$(PYTHON) tools/setup.py --tools manual

demo: set-up
	@$(RUN) -m demo $(if $(FILE),--file "$(FILE)") $(if $(ACTIVE),--active "$(ACTIVE)") $(ARGS)

test: set-up
	@$(RUN) -m pytest --numprocesses=auto --dist=loadfile $(ARGS)

test-all:
	@$(PYTHON) tools/test_all.py $(ARGS)

test-window:
	@$(PYTHON) tools/test_window.py $(if $(BLENDER),--blender "$(BLENDER)") $(ARGS)

manual: set-up-manual
	@.venv-manual/bin/sphinx-build --quiet --fail-on-warning --fresh-env docs out/manual

manual-pictures:
	@$(PYTHON) tools/test_window.py $(if $(BLENDER),--blender "$(BLENDER)") -q -k "manual_pictures or rests_panel or settings_presets or mirror_and_back"
	@$(RUN) tools/manual_pictures.py

bench: set-up
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --requirement requirements/peers.txt
	@$(RUN) -m benchmarks.steps $(ARGS)
	@$(RUN) -m benchmarks.reading $(ARGS)
	@$(RUN) -m benchmarks.kitchen $(ARGS)
	@$(RUN) -m benchmarks.collision $(ARGS)
	@$(RUN) -m benchmarks.heaps $(ARGS)
	@$(RUN) -m benchmarks.rests_in_bullet $(ARGS)
	@$(RUN) -m benchmarks.many_fixed $(ARGS)
	@$(RUN) -m benchmarks.rigid_bodies $(ARGS)
	@$(RUN) -m benchmarks.motion $(ARGS)
	@$(RUN) -m benchmarks.linkages $(ARGS)
	@$(RUN) -m benchmarks.characters $(ARGS)

lint: set-up-checks
	@$(CHECKS)/ruff check .
	@$(CHECKS)/ruff format --check --quiet .

types: set-up-checks
	@$(CHECKS)/mypy

extension: set-up
	@$(RUN) tools/extension_zips.py build

validate: set-up
	@$(RUN) tools/extension_zips.py validate

clean:
	rm -rf .venv .venv-* .window build dist out wheels .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
