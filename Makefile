# The goals of norch: `make help` lists the goals, `make mnist` and `make test` set up what is missing.
# Written for GNU make 3.81 (macOS) and later. Recipes are short; logic stands in the small programs of tools/.
# It writes only inside this folder: .venv/, build/, runs/, workbook/ and the packages' build folders.

GOALS     := help setup doctor mnist test test-all test-stage test-fresh parity gpu-check gpu-fake gpu-static lint format typecheck book book-pdf bench clean
GOALS     += sanitize fuzz drills check-arm test-machines lessons wasm wheels check-wheels
GOALS     += check next watch progress hint solution reset project grade
STAGES    := 1 2 3 4 5 6
VARIABLES := N HINT DEVICE EPOCHS MODEL DATA RESUME SEED THREADS PROCESSES OUT ONLY QUICK PYTHON UV VENV CC CXX
VARIABLES += TORCH OTHER MINE DIR MINUTES JOBS SANITIZE CIBUILDWHEEL LIVE NORCH_DATA NORCH_CACHE NORCH_NUM_THREADS
VARIABLES += BOOK_URL AT SERVE NAME

.DEFAULT_GOAL := help
# No file here is made by make's own rules: without them a check of stage 2 and later starts 0.1 s sooner.
.SUFFIXES:
.NOTPARALLEL:
.PHONY: $(GOALS) $(STAGES)

# ---- PATH=short is a path through the exercises -------------------------------------------------------------------

# PATH is the shell's word too: given to make, it would hide every program from recipes. A text that asks a shell for
# PATH is asked by the shell's own environment: makes before 4.4 hand it what they were started with, and later ones,
# where a text needs itself, do the same. So the word is kept, and PATH is again what it was.
ifeq ($(origin PATH),command line)
  course_path := $(value PATH)
  override PATH = $(shell printf %s "$$PATH")
  override PATH := $(PATH)
  MAKEOVERRIDES :=
endif

# ---- What is given is data -----------------------------------------------------------------------------------------

# make would expand a value, and a shell would read it: so what is given is kept as it was typed, and recipes find it
# in their environment ("$$DATA"). Only words that were compared with a list stand in a recipe themselves.
where  = $(firstword $(origin $(1)))
named := $(filter command,$(call where,NAME))
given := $(foreach name,$(VARIABLES),$(if $(filter command environment,$(call where,$(name))),$(name)))
typed := $(foreach name,$(.VARIABLES),$(if $(filter command,$(call where,$(name))),$(name)))
$(foreach name,$(given),$(eval override $(name) := $$(value $(name))))
UV ?= 1
export UV $(given)
quoted = '$(subst ','\'',$(1))'

# What the caller's Python is told is not for ours: these change what it imports, or how it reads a program. A shell of
# `$(shell)` forgets them by `unset`: makes before 4.4 hand it what make was given.
astray := PYTHONHOME PYTHONPATH PYTHONSAFEPATH PYTHONPLATLIBDIR PYTHONCASEOK PYTHONEXECUTABLE PYTHONSTARTUP PYTHONINSPECT
astray += PYTHONOPTIMIZE PYTHONWARNINGS PYTHONDEVMODE PYTHONDEBUG PYTHONVERBOSE PYTHONPROFILEIMPORTTIME
unexport $(astray)

# ---- Refuse what is unknown before anything runs ------------------------------------------------------------------

some_python = $$(command -v python3 || sh tools/find_python.sh 2>/dev/null)
refuse = $(error $(or $(shell unset $(astray); "$(some_python)" tools/goals.py $(1) 2>/dev/null),[make] not known: $(1)))

strange   := $(filter-out $(VARIABLES),$(typed))
capstone  := $(if $(filter test-stage check,$(MAKECMDGOALS)),,$(if $(filter project,$(MAKECMDGOALS)),7))
ordinals  := $(STAGES) $(capstone)
numbers   := $(filter $(ordinals),$(MAKECMDGOALS))
exercises := $(filter $(foreach number,$(shell seq 1 99),$(STAGES:=.$(number))),$(MAKECMDGOALS))
unknown   := $(filter-out $(GOALS) $(ordinals) $(exercises),$(MAKECMDGOALS))
asks      := $(filter test-stage project,$(MAKECMDGOALS))
checks    := $(filter check,$(MAKECMDGOALS))
works     := $(filter hint solution reset,$(MAKECMDGOALS))
stages    := $(strip $(numbers) $(filter-out $(numbers),$(N)))
no_stage  := $(filter-out $(ordinals),$(stages))
no_count  := $(strip $(filter-out $(shell seq 1 64),$(PROCESSES)) $(word 2,$(PROCESSES)))
paths     := $(if $(course_path),$(shell sed -n 's/^name = "\(.*\)"/\1/p' course/paths.toml) all)
no_path   := $(strip $(filter-out $(paths),$(course_path)) $(word 2,$(course_path)))

$(if $(unknown),$(call refuse,goal $(call quoted,$(firstword $(unknown))) $(GOALS) for $(firstword $(filter test-stage,$(asks)) $(checks) $(asks) $(works))))
$(if $(strange),$(call refuse,variable $(call quoted,$(firstword $(strange))) $(VARIABLES) PATH))
$(if $(PROCESSES),$(if $(no_count),$(call refuse,processes $(call quoted,$(PROCESSES)))))
$(if $(no_path),$(call refuse,path $(call quoted,$(course_path)) $(paths)))
$(if $(asks),$(if $(no_stage),$(call refuse,stage $(call quoted,$(firstword $(no_stage))) $(ordinals))))
$(if $(asks),$(if $(stages),,$(call refuse,stage '' $(firstword $(asks)))))
$(if $(asks)$(checks),,$(if $(numbers),$(call refuse,goal '$(firstword $(numbers))' $(GOALS))))
$(if $(checks)$(works),,$(if $(exercises),$(call refuse,goal '$(firstword $(exercises))' $(GOALS))))
$(if $(works),$(if $(exercises)$(AT),,$(call refuse,exercise $(firstword $(works)))))

# ---- What is installed, and when it is stale ----------------------------------------------------------------------

VENV ?= .venv
good_venv := $(shell printf %s $(call quoted,$(VENV)) | LC_ALL=C grep -cvE '^-|[^A-Za-z0-9_./~@+-]')
$(if $(filter-out 1,$(good_venv) $(words $(VENV))),$(call refuse,venv $(call quoted,$(VENV))))
RUN  := $(VENV)/bin/python
COURSE = $(RUN) course/exercises.py
on_path = $(if $(course_path), --path=$(course_path))
mine   := $(filter-out 0,$(MINE))

# Builds, stamps and the learner's files lie in this folder: where it cannot be written, that is said at once.
writable = test -w . || { echo "[setup] $$PWD cannot be written, and norch builds and keeps your work there: copy it" \
  "(cp -R . ~/norch && chmod -R u+w ~/norch), and run make in the copy" >&2; exit 2; }

packaging := pyproject.toml tools/setup_env.py
packaging += $(wildcard stages/*/pyproject.toml extras/*/pyproject.toml norch/pyproject.toml norch/hatch_build.py)
sources   := $(wildcard stages/*/CMakeLists.txt) $(shell find stages/*/csrc -type f 2>/dev/null)
sources   += $(foreach floor,types graph engine,$(wildcard stages/04_autograd/src/norch_autograd/$(floor)/*.py))
gathered  := $(wildcard norch/names.txt norch/write_faces.py) $(shell find stages/*/src extras/*/src -name '*.py' 2>/dev/null)

# Stamps that came with a copied or moved folder, or with another Python, count as absent.
stale := $(shell PYTHON=$(call quoted,$(PYTHON)) sh tools/stale.sh $(VENV) build/book-venv)
.PHONY: anew
$(stale): anew
stamps = --stamps="$@$(if $(1), $(1))" --after="$(filter-out anew,$^)"

# One stamp per set of tools. `set_up` is the recipe; its argument names the groups of pyproject.toml. Any Python since
# the oldest runs the course and the tools; what compiles asks for a supported one with its headers: --compile. The last
# argument names other stamps that are true then, too.
# Stage 2 is compiled quickly for exercises, well for this machine by `make mnist`, for all machines by `make test`.
set_up = @$(writable); python=$$(sh tools/find_python.sh $(2) $(RUN)) && \
  "$$python" tools/setup_env.py --venv $(VENV) --uv="$$UV" $(1) $(call stamps,$(3))

# The modules of norch are written anew where the list or a stage changed; nothing is installed for that.
build/faces: $(gathered)
	@$(writable); python=$$(sh tools/find_python.sh $(RUN)) && "$$python" norch/write_faces.py && mkdir -p build && touch $@

$(VENV)/ready-run: $(packaging) $(sources) | build/faces
	$(call set_up,packages build run,--compile,$(VENV)/ready-learn)

$(VENV)/ready-test: $(packaging) $(sources) | build/faces
	$(call set_up,--isas all packages build test,--compile,$(VENV)/ready-run $(VENV)/ready-learn)

$(VENV)/ready-learn: $(packaging) $(sources) | build/faces
	$(call set_up,--isas quick packages build course,--compile,$(VENV)/ready-course)

$(VENV)/ready-lint: pyproject.toml tools/setup_env.py
	$(call set_up,lint)

$(VENV)/ready-course: pyproject.toml tools/setup_env.py
	$(call set_up,course)

$(VENV)/ready-base: pyproject.toml tools/setup_env.py
	$(call set_up,build)

$(VENV)/ready-wheels: pyproject.toml tools/setup_env.py
	$(call set_up,build wheels,--compile)

build/book-venv/ready: book/requirements.txt tools/setup_env.py | $(VENV)/ready-base
	@$(RUN) tools/setup_env.py --venv build/book-venv --uv="$$UV" $(stamps) -r book/requirements.txt

# ---- The goals ----------------------------------------------------------------------------------------------------

help: ## list the goals
	@echo "norch: PyTorch rebuilt from scratch. Goals:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo "Variables of make mnist: DEVICE=cpu|cuda|cuda-sim EPOCHS= MODEL=mlp|cnn DATA=folder RESUME=1 SEED= THREADS= OUT=folder MINE=1 PROCESSES="
	@echo "PROCESSES=4: make mnist in four processes, which share out images and cores; MINE=1 works there too"
	@echo "MINE=1: with your own right answers in the library; make test-stage 1 MINE=1 too"
	@echo "JOBS=1: make test in one process, not one for each core"
	@echo "SANITIZE=1: make fuzz on stage 2 built under the sanitizers; TORCH=python that has PyTorch: make fuzz, make parity"
	@echo "LIVE=0: make book without cells that run in the page, for which it fetches Pyodide"
	@echo "SERVE=8000: make book, then show it at http://localhost:8000, as a container or another machine must"
	@echo "BOOK_URL=https://...: make book for a host, with a sitemap and a page for wrong addresses"
	@echo "CIBUILDWHEEL=1: make wheels for every supported Python, on Linux in containers"
	@echo "AT=file:line: make check, hint, solution and reset for the exercise at an editor's cursor"
	@echo "QUICK=1: make setup of what the exercises need alone, stage 2 compiled quickly"
	@echo "Everywhere: PYTHON=interpreter to set up with, UV=0 installs with pip, CXX=compiler"

setup: $(VENV)/ready-$(if $(filter-out 0,$(QUICK)),learn,test) ## make .venv and install everything that make mnist and make test need

doctor: ## say what is installed, what is missing, and how to get it
	@python=$$(sh tools/find_python.sh 2>/dev/null || \
	  "$${PYTHON:-python3}" -c "import sys; print(sys.executable)" 2>/dev/null || \
	  sh tools/find_python.sh) && "$$python" tools/doctor.py --venv $(VENV)

# One process runs mnist.py; several run mnist_ddp.py, each started by the launcher. MINE=1 puts the answers in front.
launch      = $(RUN) -m norch.distributed.run --nproc_per_node $(PROCESSES)
start_one   = $(if $(mine),$(COURSE) mine,$(RUN)) examples/mnist.py
start_many  = $(if $(mine),$(COURSE) mine --processes $(PROCESSES),$(launch)) examples/mnist_ddp.py
start_mnist = $(if $(PROCESSES),$(start_many),$(start_one))

mnist: $(VENV)/ready-run $(if $(mine),$(VENV)/ready-course) ## train on handwritten digits, end to end
	@$(start_mnist) $(if $(DEVICE),--device="$$DEVICE") $(if $(EPOCHS),--epochs="$$EPOCHS") \
	  $(if $(MODEL),--model="$$MODEL") $(if $(DATA),--data="$$DATA") $(if $(filter-out 0,$(RESUME)),--resume) \
	  $(if $(SEED),--seed="$$SEED") $(if $(THREADS),--threads="$$THREADS") $(if $(OUT),--out="$$OUT")

test: $(VENV)/ready-test ## run all tests: stages, doctests, assembled package, book outputs
	@$(RUN) tools/run_tests.py

test-all: $(VENV)/ready-test ## run them with those that take long, as CI does
	@$(RUN) tools/run_tests.py --all

test-stage: $(VENV)/ready-base $(if $(mine),$(VENV)/ready-test) ## test one stage with only the stages below it: make test-stage 3
	@$(if $(mine),for stage in $(stages); do $(COURSE) mine $$stage || exit 1; done, \
	  $(RUN) tools/test_stage.py --uv="$$UV" $(stages))

# Stage 1 is all Python. AT=workbook/01_strides/broadcast.py:79 is the exercise at a cursor: editors give it.
compiles := $(filter-out 1 1.%,$(numbers) $(exercises)) $(filter-out workbook/01_%,$(AT))
check: $(VENV)/ready-course $(if $(strip $(compiles)),$(VENV)/ready-learn) ## check your exercises: make check 1.6, make check 1, make check
	@$(COURSE) check $(or $(exercises),$(numbers),$(if $(AT),"$$AT"))$(on_path)

next: $(VENV)/ready-course ## say which exercise comes now: PATH=short goes on with 20 of them, PATH=all with all
	@$(COURSE) next$(on_path)

watch: $(VENV)/ready-course ## check what you edit at every save, and go on to the next when it is right
	@$(COURSE) watch$(on_path)

progress: $(VENV)/ready-course ## say what is done and left, write a page to show, and a certificate (NAME="Ada King")
	@$(COURSE) progress$(on_path) $(if $(named),--name="$$NAME")

hint: $(VENV)/ready-course ## give the next hint: make hint 1.6, or HINT=2 for the second
	@$(COURSE) hint $(or $(firstword $(exercises)),"$$AT") $(if $(HINT),"$$HINT")

solution: $(VENV)/ready-course ## show how the library does it: make solution 1.6 (OTHER=1: another way)
	@$(COURSE) solution $(or $(firstword $(exercises)),"$$AT") $(if $(filter-out 0,$(OTHER)),--other)

reset: $(VENV)/ready-course ## begin an exercise again, keeping your text: make reset 1.6
	@$(COURSE) reset $(or $(firstword $(exercises)),"$$AT")

project: $(VENV)/ready-course $(if $(filter 7,$(stages)),$(VENV)/ready-learn) ## measure a stage's open project: make project 3; the capstone: make project 7
	@for stage in $(stages); do $(COURSE) project $$stage || exit; done

grade: $(VENV)/ready-course ## check a class: make grade DIR=submissions OUT=grades.csv
	@$(COURSE) grade "$${DIR:-submissions}" "$${OUT:-grades.csv}"

.PHONY: $(exercises) $(capstone)
$(ordinals) $(exercises):
	@:

test-fresh: $(VENV)/ready-test ## clone, set up and run from nothing, as a new user would (minutes)
	@$(RUN) -m pytest -m "slow and not drill" tests

parity: $(VENV)/ready-test ## compare everything with PyTorch, call by call (needs torch; TORCH=python that has it)
	@$(RUN) tools/parity.py $(if $(TORCH),--torch="$$TORCH")

gpu-check: $(VENV)/ready-test ## run the CUDA tests on a GPU (fails without one)
	@$(RUN) tools/gpu_check.py

gpu-fake: $(VENV)/ready-test ## run them on a stand-in for a GPU's driver: no GPU takes part, none is checked
	@$(RUN) tools/gpu_fake.py

gpu-static: $(VENV)/ready-test ## assemble every kernel for five GPUs: registers, stack frames, inner loops
	@$(RUN) tools/gpu_static.py

sanitize: $(VENV)/ready-test ## run stage 2 under the compiler's sanitizers: memory, undefined behaviour, threads
	@$(RUN) tools/sanitize.py

fuzz: $(VENV)/ready-test ## call everything at random, beside PyTorch if it is there: make fuzz MINUTES=10 SEED=1
	@$(RUN) tools/fuzz.py $(if $(MINUTES),--minutes="$$MINUTES") $(if $(SEED),--seed="$$SEED") \
	  $(if $(JOBS),--jobs="$$JOBS") $(if $(TORCH),--torch="$$TORCH") \
	  $(if $(filter-out 0,$(SANITIZE)),--sanitize)

drills: $(VENV)/ready-test ## kill, starve and corrupt norch while it works: minutes of it
	@$(RUN) -m pytest -q -m drill --durations=10 stages extras tests course/tests

check-arm: $(VENV)/ready-base ## run stage 2's kernels as an ARM machine would (qemu) and compare
	@$(RUN) tools/check_arm.py

wheels: $(VENV)/ready-wheels ## build wheels in dist/ for each Python here (QUICK=1: for one), and try them
	@$(RUN) tools/wheels.py --uv="$$UV" $(if $(filter-out 0,$(CIBUILDWHEEL)),--cibuildwheel) \
	  $(if $(filter-out 0,$(QUICK)),--quick)

check-wheels: $(VENV)/ready-wheels ## install the wheels of dist/ into an empty environment and train there
	@$(RUN) tools/wheels.py --uv="$$UV" --prove

test-machines: $(VENV)/ready-test ## run numeric tests and notebooks as other processors would: make test-machines QUICK=1
	@$(RUN) tools/test_machines.py $(if $(ONLY),--only="$$ONLY") $(if $(filter-out 0,$(QUICK)),--quick)

lessons: $(VENV)/ready-run ## time the lesson kernels against what this machine can do
	@$(RUN) -m norch_cpu_ops.lessons

lint: $(VENV)/ready-lint ## check style, types, the import rule and the tree
	@$(RUN) tools/lint.py

format: $(VENV)/ready-lint ## rewrite Python and C++ in the house style
	@$(RUN) tools/lint.py --fix

typecheck: $(VENV)/ready-lint build/faces ## check the types (mypy, strict)
	@$(RUN) -m mypy

# Python for a browser, and the compiled stages for it: both come from registries, each file held to its hash.
fetch_pyodide = $(RUN) book/live/fetch_pyodide.py build/pyodide

wasm: $(VENV)/ready-base ## compile stages 2 and 4 for a browser: what the book's pages run
	@$(fetch_pyodide) && $(RUN) book/live/make_wasm.py

# The book itself is built without a compiler; pages that run are added where these programs can make them.
book: build/book-venv/ready ## build the book; warnings are errors
	@$(if $(filter 0,$(LIVE)),,$(fetch_pyodide) && $(RUN) book/live/make_wasm.py --if-possible && \
	  $(RUN) book/live/fetch_clang.py build/clang && $(RUN) book/live/fetch_mnist.py build/book/mnist)
	@build/book-venv/bin/jupyter-book build book --all -W -n --keep-going
	@$(if $(SERVE),$(RUN) -m http.server --bind 127.0.0.1 --directory book/_build/html "$$SERVE", \
	  echo "open book/_build/html/index.html")

book-pdf: book ## make one PDF of the book's chapters (Chromium prints them)
	@build/book-venv/bin/python book/pdf.py book/_build/norch.pdf

bench: $(VENV)/ready-run ## measure norch beside PyTorch, NumPy and the machine: make bench ONLY=conv2d
	@$(RUN) -m benchmarks $(if $(ONLY),--only="$$ONLY") $(if $(THREADS),--threads="$$THREADS") \
	  $(if $(filter-out 0,$(QUICK)),--quick)

clean: ## remove builds and caches; never data, runs/ or workbook/
	rm -rf build stages/*/build book/_build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
	rm -f $(VENV)/ready-*
	find stages extras norch course tests tools examples -name __pycache__ -type d -prune -exec rm -rf {} +
