# SPDX-License-Identifier: GPL-2.0-only
# berth: one static binary per board. `make help` lists the targets.
#
#   Makefile              what there is, and the targets
#   tools/make/flags.mk   how it is compiled: warnings, hardening, optimisation
#   tools/make/rules.mk   the variants (board, test, clang, fuzz, ...) and the rules made for each
#   board/*/board.mk      what differs between boards
#   vendor/build.mk       how one library is compiled

VERSION := 0.1.0
BOARD ?= x86_64
O ?= build
V ?= 0
ARGS ?=
VECTORS ?= tests/vectors
PLUGINS ?=
KEYS ?=
TIME ?= 60
BOARDS := $(patsubst board/%/board.mk,%,$(wildcard board/*/board.mk))
# V=1 shows commands instead of names.
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),@:,@printf '  %-7s %s\n' '$(1)' '$(2)')
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := all
.SECONDARY:
.DELETE_ON_ERROR:

ifeq ($(wildcard board/$(BOARD)/board.mk),)
$(error no board '$(BOARD)'; there are: $(BOARDS))
endif
# Sets CROSS, CPU, MUSL_TARGET, QEMU, PACKAGES, SIZE_MAX, LAYOUT, RELINK.
include board/$(BOARD)/board.mk

# ---- what there is: files are found, never listed ----------------------------------------------
SRC := $(sort $(wildcard src/*.c src/*/*.c))
# PLUGINS=DIR: plugins of one's own, each .c of DIR one (src/plugins/README.md). All that is built
# with them lies apart.
ifneq ($(PLUGINS),)
PLUGINS_DIR := $(patsubst %/,%,$(if $(filter /% ..%,$(PLUGINS)),$(abspath $(PLUGINS)),$(PLUGINS)))
OWN := +$(notdir $(PLUGINS_DIR))
OWN_SRC := $(sort $(wildcard $(PLUGINS_DIR)/*.c))
$(if $(OWN_SRC),,$(error there is no .c file in $(PLUGINS)))
$(shell tools/make/own-plugins $(O)/vendor/plugins$(OWN).h $(OWN_SRC))
SRC += $(OWN_SRC)
endif
# The tests of the example need it built in; `make programs-test` builds them so.
EXAMPLE := tests/own/plugins
OWN_TESTS := $(wildcard tests/own/test_*.c)
TESTS := $(sort $(filter-out $(if $(filter $(EXAMPLE),$(PLUGINS)),,$(OWN_TESTS)),\
	$(wildcard tests/*/test_*.c)))
BENCHES := $(sort $(wildcard tests/bench/bench_*.c))
FUZZERS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
TOOLS := $(sort $(wildcard tools/*.c))
VECTOR_TEST := tests/vectors/vectors.c
SIMULATOR := tests/sim/sim.c
# The first process of the appliance.
INIT := firmware/init/init.c

# Each library is seen by one folder of src/.
LIBRARIES := mongoose mbedtls yaml
LIBS_IN_net := mongoose
LIBS_IN_tls := mbedtls
LIBS_IN_json := jsmn
LIBS_IN_yaml := yaml

include tools/make/flags.mk
include tools/make/rules.mk

# ---- the binary --------------------------------------------------------------------------------
# berth.parts is for tools/size: without optimisation as a whole, which mixes modules.
W := $(DIR_board)
$(W)/berth.debug: LINK_WHOLE = $(SMALL) $(HARDEN) $(WHOLE_PROGRAM) $(PREFIX_MAP) $(if $(RELINK),-save-temps)
$(W)/berth.debug $(W)/berth.parts: $(patsubst %.c,$(W)/%.o,$(SRC)) \
		$(call archives,$(B),$(LIBRARIES))
	$(call say,LD,$@)
	$(Q)$(LINK_board) -Wl,-Map=$@.map -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(filter %.a,$^) $(END_board)
	$(Q)$(if $(RELINK),$(if $(filter %.debug,$@),$(RELINK_board)))
$(W)/berth: $(W)/berth.debug
	$(call say,STRIP,$@)
	$(Q)$(CROSS)objcopy --strip-all $< $@

all: $(W)/berth  ## build the binary of BOARD (default x86_64)
# Flags go to `berth run`; anything else in ARGS is a command of its own.
run: $(W)/berth $(W)/apisim  ## run it on the bundled cluster; CLUSTER=1: on yours; ARGS='--v 4'
	$(Q)$(if $(filter-out -%,$(firstword $(ARGS))),$(W)/berth $(ARGS),\
		CLUSTER='$(CLUSTER)' tools/run $(W) $(ARGS))
all-boards: $(BOARDS:%=board-%)  ## the binary of every board
$(BOARDS:%=board-%): board-%:
	$(Q)$(MAKE) BOARD=$*
packages: $(B)/berth  ## what is installed on BOARD: archive, Debian package, container image
	$(Q)vendor/fetch --flawless $(O)/vendor && firmware/packages $(BOARD) $<
# No file names where it was built; what a board needs for its image stands in board/*/firmware.
$(B)/firmware/init.stripped: $(B)/firmware/init/init
	$(Q)$(CROSS)objcopy --strip-all $< $@
firmware: $(B)/berth $(B)/firmware/init.stripped  ## a bootable disk for BOARD, with berth alone on it
	$(Q)tools/packages firmware && vendor/fetch --flawless $(O)/vendor && \
		firmware/image $(BOARD) $^ $(O)/firmware $(KEYS)
firmware-test: $(O)/x86_64/apisim  ## boots such disks in qemu: ARGS=short, ARGS='rpi4 gateway-armv7'
	$(Q)tools/packages firmware-test && tests/firmware/boot $(ARGS)
dist: $(call stamps,$(LIBRARIES) jsmn musl)  ## all sources, those of libraries too, for OpenWrt, Buildroot, Yocto
	$(Q)tools/dist $(O)/dist $(O)/vendor
sbom: $(B)/berth  ## what is inside the binary, with versions, hashes, licences (SPDX 2.3)
	$(Q)tools/sbom $(VERSION) $(O)/vendor $< '$(CROSS)gcc' >$(B)/berth.spdx.json.part
	$(Q)mv $(B)/berth.spdx.json.part $(B)/berth.spdx.json
	$(Q)echo "$(B)/berth.spdx.json: sha256 of $< is $$(sha256sum $< | cut -d' ' -f1)"

# ---- tests -------------------------------------------------------------------------------------
test:  ## all that proves a change: rules, unit tests, static binaries, vectors, simulator
	$(Q)tools/test
check:  ## the rules of the tree: shape, layers, names, banned calls (tools/check)
	$(Q)tools/check
OWN_PROGRAMS := $(OWN_TESTS:tests/%.c=$(O)/test+$(notdir $(EXAMPLE))/%)
ifeq ($(PLUGINS),)
programs-test: own
own:  ## the example of src/plugins/README.md and its tests
	$(Q)$(MAKE) PLUGINS=$(EXAMPLE) $(OWN_PROGRAMS)
endif
unit: programs-test  ## unit tests under the address and undefined-behaviour sanitizers
	$(Q)tools/run-tests $(call programs_of,test)
unit-clang: programs-clang  ## the same, built by clang
	$(Q)tools/run-tests $(call programs_of,clang)
unit-static: programs-static  ## the same as static binaries of BOARD, under qemu if foreign
	$(Q)tools/run-tests --under '$(EMULATOR)' \
		$(filter-out $(LEFT_OUT),$(call programs_of,static))
vectors: $(B)/vectors/vectors  ## kube-scheduler's decisions: make vectors VECTORS=DIR RELEASE=1.36
	$(Q)TEST_SECONDS=900 tools/run-tests --under '$(EMULATOR)' --with '$(if $(RELEASE),--release $(RELEASE) )$(VECTORS)' $<
sim: $(DIR_quick)/sim/sim  ## the simulator: make sim SEED=7, make sim SEED=7 SEEDS=100
	$(Q)$< $(if $(SEED),$(if $(SEEDS),--first,--seed) $(SEED)) \
		$(if $(SEEDS),--seeds $(SEEDS)) $(ARGS)
mutations: $(DIR_quick)/sim/sim  ## the simulator against the bugs of tests/sim/mutations/list
	$(Q)tests/sim/mutations/run $(ARGS)
fuzz: programs-fuzz  ## every fuzzer for TIME seconds on its corpus: make fuzz TIME=600
	$(Q)tools/fuzz $(TIME) $(call programs_of,fuzz)
e2e: $(B)/berth $(TOOLS:tools/%.c=$(B)/%)  ## against a real kube-apiserver and etcd
	$(Q)tests/e2e/run $<
siege: $(B)/berth $(B)/apisim  ## strangers against the page's port: ARGS='garbage' for one kind
	$(Q)tools/packages page && BERTH_BUILD=$(B) node tests/siege/siege.js $(ARGS)
page: $(B)/berth $(B)/apisim  ## the status page in a real browser: make page ARGS='pending nodes'
	$(Q)tools/packages page && BERTH_BUILD=$(B) node tests/page/test.js $(ARGS)

# ---- measuring and looking ---------------------------------------------------------------------
bench: $(patsubst tests/%.c,$(B)/%,$(BENCHES))  ## measure, as the shipped binary is built
	$(Q)set -e; for b in $^; do $$b; done
capacity: $(B)/berth $(B)/apisim  ## which clusters fit into how much memory: ARGS='jobs' for one
	$(Q)tests/capacity/run $(B) $(ARGS)
bench-live: $(B)/berth $(B)/bindload  ## speed and memory with a real apiserver: ARGS='100 1000'
	$(Q)BERTH_BIN=$(B) tests/e2e/bench-live $(ARGS)
size: $(B)/berth $(B)/berth.parts  ## bytes of each module; ARGS=--update writes them down
	$(Q)tools/size $(BOARD) $(SIZE_MAX) $(B) $(ARGS)
coverage: programs-coverage  ## line and branch coverage: a table and build/coverage/html
	$(Q)tools/coverage $(DIR_coverage) '$(VECTORS)' $(call programs_of,coverage)
lint: $(call stamps,$(LIBRARIES) jsmn unity) $(GENERATED)  ## cppcheck and clang-tidy over src/
	$(Q)tools/lint $(SRC)
lint: export FLAGS = $(filter-out -W%,$(CFLAGS))
screenshots: $(B)/berth $(B)/apisim  ## of each view of the page: build/screenshots
	$(Q)tools/packages page && BERTH_BUILD=$(B) node tests/page/screenshots.js $(O)/screenshots
compile_commands.json: Makefile $(SRC) $(TESTS)  ## for editors and clangd
	$(Q)tools/compile-commands $(SRC) $(TESTS) $(BENCHES) $(FUZZERS) >$@
compile_commands.json: export COMMAND = $(CC_test) $(CFLAGS) $(FLAGS_test)

clean:  ## remove what was built (not the archives in the cache)
	$(Q)rm -rf $(O) compile_commands.json
help:  ## this list
	$(Q)echo 'make TARGET [BOARD=$(subst $() ,|,$(BOARDS))] [V=1]'
	$(Q)awk -F ':.*  ## ' '/^[a-z0-9_.-]+:.*  ## / { printf "  %-22s %s\n", $$1, $$2 }' Makefile
.PHONY: all run own capacity all-boards packages firmware firmware-test dist sbom test check unit unit-clang unit-static vectors sim mutations \
	fuzz e2e siege page bench bench-live size coverage lint screenshots clean help \
	$(BOARDS:%=board-%) $(VARIANTS:%=list-%) $(VARIANTS:%=programs-%)
