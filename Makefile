# SPDX-License-Identifier: GPL-2.0-only
# berth: one static binary per board. `make help` lists what can be asked for; src/README.md is the map of the code.

VERSION := 0.1.0
BOARD ?= x86_64
O ?= build
V ?= 0
ARGS ?=
VECTORS ?= tests/vectors
TIME ?= 60
BOARDS := $(patsubst board/%/board.mk,%,$(wildcard board/*/board.mk))
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),@:,@printf '  %-7s %s\n' '$(1)' '$(2)')
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := all
.SECONDARY:
.DELETE_ON_ERROR:

ifeq ($(wildcard board/$(BOARD)/board.mk),)
$(error no board '$(BOARD)'; there are: $(BOARDS))
endif
# Sets CROSS, CPU, MUSL_TARGET, QEMU, PACKAGES, SIZE_MAX, LAYOUT.
include board/$(BOARD)/board.mk

# ---- what there is: files are found, never listed --------------------------------------------------
SRC := $(sort $(wildcard src/*.c src/*/*.c))
TESTS := $(sort $(wildcard tests/*/test_*.c))
BENCHES := $(sort $(wildcard tests/bench/bench_*.c))
WHOLE := tests/vectors/vectors.c tests/sim/sim.c
FUZZERS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
TOOLS := $(sort $(wildcard tools/*.c))
# A test names the sources it links, `// deps: base/arena.c json/*.c`, and `// libs: yaml` if it calls a library itself.
$(shell mkdir -p $(O) && awk -f tools/deps.awk $(TESTS) $(BENCHES) $(FUZZERS) $(WHOLE) $(TOOLS) /dev/null >$(O)/deps.$$$$ && \
	mv $(O)/deps.$$$$ $(O)/deps.mk)
include $(O)/deps.mk
below = $(if $(filter tests/% tools/%,$(1)),$(1),src/$(1))
source = $(if $(findstring *,$(1)),$(sort $(wildcard $(call below,$(1)))),$(call below,$(1)))
sources = $(foreach d,$(DEPS_$(1)),$(call source,$(d)))
# Each vendor library is seen by one folder of src/.
LIBS_IN_net := mongoose
LIBS_IN_tls := mbedtls
LIBS_IN_json := jsmn
LIBS_IN_yaml := yaml
libs_in = $(foreach f,$(1),$(LIBS_IN_$(word 2,$(subst /, ,$(f)))))
libs_of = $(sort unity $(LIBS_$(1)) $(call libs_in,$(call sources,$(1))))
LIBRARIES := mongoose mbedtls yaml
stamps = $(patsubst %,$(O)/vendor/%/.version,$(1))
archives = $(patsubst %,$(1)/vendor/lib%.a,$(filter-out jsmn,$(2)))

# ---- how it is compiled ----------------------------------------------------------------------------
WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes \
	-Wsign-compare -Wvla -Wformat=2 -Werror
# -isystem: their headers keep their warnings. -iquote: a board's limits.h must never shadow the <limits.h> of C.
VENDOR_INCLUDES := $(patsubst %,-isystem %,vendor/mbedtls vendor/mongoose \
	$(addprefix $(O)/vendor/,mbedtls/include mongoose jsmn yaml/include unity/src))
VENDOR_DEFINES := -DMBEDTLS_CONFIG_FILE='<mbedtls_config.h>' -DUNITY_INCLUDE_DOUBLE -DUNITY_SUPPORT_64
PREFIX_MAP := -ffile-prefix-map=$(CURDIR)=.
CFLAGS := -std=c11 -D_DEFAULT_SOURCE -g -fno-common $(PREFIX_MAP) $(WARNINGS) -Isrc -iquote board/$(BOARD) \
	-iquote $(O)/vendor $(VENDOR_INCLUDES) $(VENDOR_DEFINES) -DBERTH_VERSION='"$(VERSION)"' -DBERTH_BOARD='"$(BOARD)"'
# musl has no fortified headers, so _FORTIFY_SOURCE would do nothing. In its place: stack protector, stack clash
# probes, automatic variables set to zero, RELRO with bind now, position independence, the banned calls of tools/check,
# and the sanitizers over every test.
HARDEN := -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero -fPIE -fvisibility=hidden
# Small, but for what runs for each node of each decision, and for each byte that is read: the folders of FAST.
OPTIMIZE = -Os
FAST := base json cache queue plugins cycle
QUICK := -O2
# What is shipped is optimised as a whole and in one piece; tests and benches link the same objects.
WHOLE_PROGRAM := -flto=auto -flto-partition=one -ffat-lto-objects
SMALL = $(OPTIMIZE) -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables
SANITIZE := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

B := $(O)/$(BOARD)
MUSL := $(B)/musl
LIBC := $(MUSL)/lib/libc.a
# Asked when first needed: the compiler may just have been installed.
GCC_INCLUDE = $(eval GCC_INCLUDE := $(shell $(CROSS)gcc -print-file-name=include))$(GCC_INCLUDE)

# Variants of the same rules: DIR (objects and programs), LIB (vendor archives), CC, FLAGS, LINK and END, FIRST (what
# must exist before anything is compiled), PROGRAMS (tests, benches, fuzzers it links).
VARIANTS := board static test clang coverage fuzz quick
DIR_board := $(B)
LIB_board := $(B)
CC_board = $(CROSS)gcc $(CPU) -nostdinc -isystem $(MUSL)/include -isystem $(GCC_INCLUDE) $(SMALL) $(HARDEN) $(WHOLE_PROGRAM)
AR_board = $(CROSS)gcc-ar
FIRST_board := $(LIBC)
LINK_WHOLE = -fno-lto # objects hold both forms
# Not every gcc knows -static-pie (ARM, RISC-V of Debian 12 ask for a loader), so it is spelled out for the linker.
LINK_board = $(CROSS)gcc $(CPU) $(LINK_WHOLE) -nostdlib -static -Wl,-pie,--no-dynamic-linker,-z,text,-z,relro,-z,now,-z,noexecstack,-z,separate-code,--gc-sections,--build-id $(LAYOUT) \
	$(MUSL)/lib/rcrt1.o $(MUSL)/lib/crti.o
# A static binary relocates itself and knows relative relocations only; a linker that leaves another kind (RISC-V does
# for visible symbols, hence -fvisibility=hidden) has made a binary with null pointers in its tables.
END_board = $(LIBC) -lgcc $(LIBC) $(MUSL)/lib/crtn.o -Wl,--end-group && ! $(CROSS)readelf -rW $@ | grep ' R_' | grep -v _RELATIVE
PROGRAMS_board := $(BENCHES) tests/vectors/vectors.c $(TOOLS)
FLAGS_board := -Itests -Itools

DIR_static := $(B)/test
LIB_static := $(B)
CC_static = $(filter-out $(WHOLE_PROGRAM),$(CC_board))
FLAGS_static := -Itests -Itools -DBERTH_TEST
FIRST_static := $(LIBC)
LINK_static = $(LINK_board)
END_static = $(END_board)
PROGRAMS_static := $(TESTS) $(FUZZERS)

DIR_test := $(O)/test
CC_test := gcc $(SANITIZE)
DIR_clang := $(O)/clang
CC_clang := clang $(SANITIZE)
FIRST_clang := $(O)/.clang
DIR_coverage := $(O)/coverage
# Without optimisation gcc thinks that Unity's longjmp clobbers constants. What a test forks leaves its counts too.
CC_coverage := gcc -O0 --coverage -Wno-clobbered -D_exit=exit
PROGRAMS_coverage := $(TESTS) $(FUZZERS) $(WHOLE)
DIR_fuzz := $(O)/fuzz
CC_fuzz := clang $(SANITIZE) -O2 -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp -DBERTH_FUZZ
LINK_fuzz = clang $(SANITIZE) -fsanitize=fuzzer
FIRST_fuzz := $(FIRST_clang)
PROGRAMS_fuzz := $(FUZZERS)
# Of clusters in virtual time only the number counts.
DIR_quick := $(O)/quick
CC_quick := gcc -O3 -flto=auto
PROGRAMS_quick := tests/sim/sim.c
$(foreach v,test clang coverage fuzz quick,$(eval LIB_$(v) := $(DIR_$(v)))$(eval AR_$(v) := gcc-ar) \
	$(eval FLAGS_$(v) := -Itests -Itools -DBERTH_TEST)$(eval LINK_$(v) ?= $(CC_$(v)))$(eval END_$(v) := -Wl,--end-group -lm)$(eval PROGRAMS_$(v) ?= $(TESTS) $(FUZZERS)))

# variant NAME: objects of src/ and tests/ below its folder.
define variant
$(DIR_$(1))/%.o: %.c Makefile board/$(BOARD)/board.mk
	$$(call say,CC,$$@)
	$$(Q)mkdir -p $$(@D) && $$(CC_$(1)) $$(CFLAGS) $$(FLAGS_$(1)) -MMD -MP -c -o $$@ $$<
$(SRC:%.c=$(DIR_$(1))/%.o): | $(FIRST_$(1))
-include $(wildcard $(DIR_$(1))/src/*.d $(DIR_$(1))/src/*/*.d $(DIR_$(1))/tests/*/*.d $(DIR_$(1))/tools/*.d $(DIR_$(1))/tools/*/*.d)
endef
# archive NAME: vendor libraries, one archive each, compiled by a make of its own once they are unpacked.
define archive
$(LIB_$(1))/vendor/lib%.a: $(O)/vendor/%/.version vendor/build.mk $(wildcard vendor/*/*.[ch]) | $(FIRST_$(1))
	$$(call say,VENDOR,$$@)
	$$(Q)mkdir -p $$(@D) && flock $$(@D)/.lock $$(MAKE) -s -f vendor/build.mk NAME=$$* OUT=$$(@D) \
		SOURCE=$(O)/vendor/$$* AR=$$(AR_$(1)) COMPILE="$$(CC_$(1)) $$(PREFIX_MAP) $$(VENDOR_INCLUDES) $$(VENDOR_DEFINES)"
endef
# program NAME,SOURCE
define program
$(DIR_$(1))/$(basename $(patsubst tools/%,%,$(patsubst tests/%,%,$(2)))): $(patsubst %.c,$(DIR_$(1))/%.o,$(2) $(call sources,$(2))) \
		$(call archives,$(LIB_$(1)),$(call libs_of,$(2)))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(LINK_$(1)) -o $$@ $$(filter %.o,$$^) \
		-Wl,--start-group $$(filter %.a,$$^) $$(END_$(1))
$(patsubst %.c,$(DIR_$(1))/%.o,$(2) $(call sources,$(2))): | $(FIRST_$(1)) $(call stamps,$(call libs_of,$(2)))
endef
$(foreach f,$(FAST),$(foreach v,board static,$(eval $(DIR_$(v))/src/$(f)/%.o: OPTIMIZE = $(QUICK))))
$(foreach v,$(VARIANTS),$(eval $(call variant,$(v)))$(foreach s,$(PROGRAMS_$(v)),$(eval $(call program,$(v),$(s)))))
$(foreach v,board test clang coverage fuzz quick,$(eval $(call archive,$(v))))
$(foreach v,$(VARIANTS),$(foreach f,$(SRC),$(if $(call libs_in,$(f)),$(eval \
	$(DIR_$(v))/$(f:.c=.o): | $(call stamps,$(call libs_in,$(f)))))))

# ---- vendor ----------------------------------------------------------------------------------------
$(O)/vendor/%/.version: vendor/%/recipe vendor/fetch
	$(call say,FETCH,$*)
	$(Q)tools/packages build && vendor/fetch $* $(O)/vendor/$*
$(foreach c,$(wildcard vendor/*/cut),$(eval $(O)/$(dir $(c)).version: $(c)))

$(FIRST_clang):
	$(Q)tools/packages clang && mkdir -p $(@D) && touch $@

$(LIBC): $(O)/vendor/musl/.version vendor/build.mk
	$(call say,MUSL,$(BOARD))
	$(Q)tools/packages build $(PACKAGES) && mkdir -p $(B) && flock $(B)/.lock $(MAKE) -s -f vendor/build.mk NAME=musl OUT=$(MUSL) SOURCE=$(O)/vendor/musl \
		TARGET=$(MUSL_TARGET) CROSS=$(CROSS) FLAGS='$(CPU) $(SMALL) -fstack-protector-strong -fPIE $(PREFIX_MAP)'

# ---- the binary ------------------------------------------------------------------------------------
$(O)/vendor/dependencies.h: $(call stamps,$(LIBRARIES) jsmn musl)
	$(Q)sed 's/^yaml/libyaml/; s/^mbedtls/mbedTLS/; s/.*/"&",/' $(sort $^) | sed '1i static const char *const dependencies[] = {' | sed '$$a };' >$@
$(foreach v,$(VARIANTS),$(DIR_$(v))/src/main.o): | $(O)/vendor/dependencies.h
# The page, compressed, as arrays of bytes.
$(O)/vendor/page.h: $(sort $(wildcard src/status/page/*))
	$(Q)mkdir -p $(@D) && for f in $^; do echo "static const unsigned char page_$${f##*.}[] = {"; \
		sed 's/^\t*//; /^\/\/ /d; s| // .*$$||' $$f | gzip -9n | od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g'; echo '};'; done >$@
$(foreach v,$(VARIANTS),$(DIR_$(v))/src/status/page.o): $(O)/vendor/page.h

# berth.parts is the same without optimisation as a whole, which mixes modules until none can be told apart.
$(B)/berth.debug: LINK_WHOLE = $(SMALL) $(HARDEN) $(WHOLE_PROGRAM) $(PREFIX_MAP)
$(B)/berth.debug $(B)/berth.parts: $(patsubst %.c,$(B)/%.o,$(SRC)) $(call archives,$(B),$(LIBRARIES))
	$(call say,LD,$@)
	$(Q)$(LINK_board) -Wl,-Map=$@.map -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) $(END_board)
$(B)/berth: $(B)/berth.debug
	$(call say,STRIP,$@)
	$(Q)$(CROSS)objcopy --strip-all $< $@

all: $(B)/berth  ## build the binary of BOARD (default x86_64)
run: $(B)/berth $(B)/apisim  ## build it and run it, on the cluster of KUBECONFIG or on the bundled one (or ARGS='simulate ...')
	$(Q)$(if $(ARGS),$(B)/berth $(ARGS),tools/run $(B))
all-boards: $(BOARDS:%=board-%)  ## the binary of every board
$(BOARDS:%=board-%): board-%:
	$(Q)$(MAKE) BOARD=$*

# ---- tests -----------------------------------------------------------------------------------------
programs_of = $(patsubst tests/%.c,$(DIR_$(1))/%,$(PROGRAMS_$(1)))
EMULATOR := $(if $(filter $(shell uname -m),$(MUSL_TARGET)),,$(QEMU))
$(foreach v,$(VARIANTS),$(eval programs-$(v): $(filter-out $(LEFT_OUT),$(call programs_of,$(v)))))
$(VARIANTS:%=list-%): list-%:
	@echo $(call programs_of,$*)

test:  ## all that proves a change: rules, unit tests (sanitizers, static), the binary itself, vectors, the simulator
	$(Q)tools/test
check:  ## the rules of the tree: shape, layers, banned calls, ... (tools/check)
	$(Q)tools/check
unit: programs-test  ## unit tests under the address and undefined-behaviour sanitizers
	$(Q)tools/run-tests $(call programs_of,test)
unit-clang: programs-clang  ## the same, built by clang
	$(Q)tools/run-tests $(call programs_of,clang)
unit-static: programs-static  ## the same as static binaries of BOARD, under qemu when it is a foreign one
	$(Q)tools/run-tests --under '$(EMULATOR)' $(filter-out $(LEFT_OUT),$(call programs_of,static))

vectors: $(B)/vectors/vectors  ## kube-scheduler's decisions: make vectors VECTORS=DIR
	$(Q)tools/run-tests --under '$(EMULATOR)' --with '$(VECTORS)' $<
sim: $(DIR_quick)/sim/sim  ## the simulator: make sim SEED=7, make sim SEEDS=100
	$(Q)$< $(if $(SEED),--seed $(SEED)) $(if $(SEEDS),--seeds $(SEEDS)) $(ARGS)
mutations: $(DIR_quick)/sim/sim  ## the simulator must find every bug of tests/sim/mutations/list
	$(Q)tests/sim/mutations/run $(ARGS)
fuzz: programs-fuzz  ## every fuzzer for TIME seconds on tests/fuzz/corpus/NAME: make fuzz TIME=600
	$(Q)tools/fuzz $(TIME) $(call programs_of,fuzz)
bench: $(patsubst tests/%.c,$(B)/%,$(BENCHES))  ## measure, as the shipped binary is built
	$(Q)set -e; for b in $^; do $$b; done
e2e: $(B)/berth $(TOOLS:tools/%.c=$(B)/%)  ## against a real kube-apiserver and etcd
	$(Q)tests/e2e/run $<
siege: $(B)/berth $(B)/apisim  ## strangers against its port: who waits how long, what scheduling loses; ARGS='garbage' for one kind
	$(Q)tools/packages page && BERTH_BUILD=$(B) node tests/siege/siege.js $(ARGS)
bench-live: $(B)/berth $(B)/bindload  ## a table of speed, latency and memory with a real kube-apiserver: ARGS='100 1000'
	$(Q)BERTH_BIN=$(B) tests/e2e/bench-live $(ARGS)
packages: $(B)/berth  ## what is installed on BOARD: archive with installer, Debian package, container image
	$(Q)vendor/fetch --flawless $(O)/vendor && firmware/packages $(BOARD) $<

sbom: $(B)/berth  ## what is inside the binary, with versions, hashes and licences: SPDX 2.3, build/x86_64/berth.spdx.json
	$(Q)tools/sbom $(VERSION) $(O)/vendor $< '$(CROSS)gcc' >$(B)/berth.spdx.json.part && mv $(B)/berth.spdx.json.part $(B)/berth.spdx.json
	$(Q)echo "$(B)/berth.spdx.json: sha256 of $< is $$(sha256sum $< | cut -d' ' -f1)"

# ---- looking at it ---------------------------------------------------------------------------------
page: $(B)/berth $(B)/apisim  ## the status page in a real browser, all of it or parts: make page ARGS='pending nodes'
	$(Q)tools/packages page && BERTH_BUILD=$(B) node tests/page/test.js $(ARGS)
screenshots: $(B)/berth $(B)/apisim  ## of each view, light and dark, on a desk and on a phone: build/screenshots
	$(Q)tools/packages page && BERTH_BUILD=$(B) node tests/page/screenshots.js $(O)/screenshots
size: $(B)/berth $(B)/berth.parts  ## bytes of the binary and of each module; fails over the budget of the board
	$(Q)tools/size $(BOARD) $(SIZE_MAX) $(B) $(ARGS)
coverage: programs-coverage  ## line and branch coverage: a table and build/coverage/html
	$(Q)tools/coverage $(DIR_coverage) '$(VECTORS)' $(call programs_of,coverage)
lint: $(call stamps,$(LIBRARIES) jsmn unity) $(O)/vendor/dependencies.h $(O)/vendor/page.h  ## cppcheck and clang-tidy over src/
	$(Q)tools/lint $(SRC)
lint: export FLAGS = $(filter-out -W%,$(CFLAGS))
compile_commands.json: Makefile $(SRC) $(TESTS)  ## for editors and clangd
	$(Q)tools/compile-commands $(SRC) $(TESTS) $(BENCHES) $(FUZZERS) >$@
compile_commands.json: export COMMAND = $(CC_test) $(CFLAGS) $(FLAGS_test)

clean:  ## remove what was built (not the archives in the cache)
	$(Q)rm -rf $(O) compile_commands.json
help:  ## this list
	$(Q)echo 'make TARGET [BOARD=$(subst $() ,|,$(BOARDS))] [V=1]'
	$(Q)awk -F ':.*  ## ' '/^[a-z0-9_.-]+:.*  ## / { printf "  %-22s %s\n", $$1, $$2 }' Makefile
.PHONY: all run all-boards test check unit unit-clang unit-static vectors sim mutations fuzz bench bench-live e2e siege \
	packages sbom page screenshots size coverage lint clean help $(BOARDS:%=board-%) $(VARIANTS:%=list-%) $(VARIANTS:%=programs-%)
