# SPDX-License-Identifier: GPL-2.0-only
# The variants and the rules that are made for each. Included by the Makefile.
#
# A variant compiles the same sources in its own way, into a folder of its own:
#   board     what is shipped, and the benches, tools and vectors like it
#   static    unit tests as static binaries of the board
#   test      unit tests under gcc's sanitizers      clang   the same, by clang
#   coverage  counts lines and branches              fuzz    fuzzers with clang's libFuzzer
#   quick     the simulator, as fast as it gets
#
# It is described by DIR (objects and programs), LIB (archives of libraries), CC, AR, FLAGS, LINK
# and END (of the linker's line), FIRST (what must exist before anything is compiled), PROGRAMS (sources
# of the tests, benches, ... that it links).

VARIANTS := board static test clang coverage fuzz quick
B := $(O)/$(BOARD)
MUSL := $(B)/musl
LIBC := $(MUSL)/lib/libc.a
CLANG_IS_HERE := $(O)/.clang
# Asked when first needed: the compiler may just have been installed.
GCC_INCLUDE = $(eval GCC_INCLUDE := $(shell $(CROSS)gcc -print-file-name=include))$(GCC_INCLUDE)

# ---- board: musl, no headers but its own -------------------------------------------------------
DIR_board := $(B)$(OWN)
LIB_board := $(B)
CC_board = $(CROSS)gcc $(CPU) -nostdinc -isystem $(MUSL)/include -isystem $(GCC_INCLUDE) \
	$(SMALL) $(HARDEN) $(WHOLE_PROGRAM)
AR_board = $(CROSS)gcc-ar
FIRST_board := $(LIBC)
LINK_WHOLE = -fno-lto
LINK_board = $(CROSS)gcc $(CPU) $(LINK_WHOLE) $(LINK_STATIC_PIE) \
	$(MUSL)/lib/rcrt1.o $(MUSL)/lib/crti.o
# A static binary relocates itself and knows relative relocations only; a linker that leaves another
# kind (RISC-V does for visible symbols, hence -fvisibility=hidden) has made a binary with null
# pointers in its tables.
END_board = $(LIBC) -lgcc $(LIBC) $(MUSL)/lib/crtn.o -Wl,--end-group && \
	! $(CROSS)readelf -rW $@ | grep ' R_' | grep -v _RELATIVE
# RELINK names a linker that packs relocations where the compiler's own cannot. It does not know gcc's intermediate code:
# what the first one made of the whole program is linked once more.
RELINK_board = $(RELINK) $(LINKER) --pack-dyn-relocs=relr -Map=$@.map -o $@ \
	$(addprefix $(MUSL)/lib/,rcrt1.o crti.o) $@.ltrans0.ltrans.o $(LIBC) \
	$(shell $(CROSS)gcc -print-libgcc-file-name) $(LIBC) $(MUSL)/lib/crtn.o && rm -f $@.*lt* $@.res $@.wpa.* && \
	! $(CROSS)readelf -rW $@ | grep ' R_' | grep -v _RELATIVE
PROGRAMS_board := $(BENCHES) $(VECTOR_TEST) $(TOOLS) $(INIT)
FLAGS_board := -Itests -Itools -I.

DIR_static := $(B)$(OWN)/test
LIB_static := $(B)
CC_static = $(filter-out $(WHOLE_PROGRAM),$(CC_board))
FLAGS_static := -Itests -Itools -I. -DBERTH_TEST
FIRST_static := $(LIBC)
LINK_static = $(LINK_board)
END_static = $(END_board)
PROGRAMS_static := $(TESTS) $(FUZZERS)

# ---- variants with the machine's own C library -------------------------------------------------
CC_test := gcc $(SANITIZE)
CC_clang := clang $(SANITIZE)
FIRST_clang := $(CLANG_IS_HERE)
# Without optimisation gcc thinks that Unity's longjmp clobbers constants. -D: what a test forks
# leaves its counts too.
CC_coverage := gcc -O0 --coverage -Wno-clobbered -D_exit=exit
PROGRAMS_coverage := $(TESTS) $(FUZZERS) $(VECTOR_TEST) $(SIMULATOR)
CC_fuzz := clang $(SANITIZE) -O2 -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp \
	-DBERTH_FUZZ
LINK_fuzz = clang $(SANITIZE) -fsanitize=fuzzer
FIRST_fuzz := $(CLANG_IS_HERE)
PROGRAMS_fuzz := $(FUZZERS)
# Of clusters in virtual time only the number counts.
CC_quick := gcc -O3 -flto=auto
PROGRAMS_quick := $(SIMULATOR)

# native NAME: what is alike in all of them, unless it was said above.
define native
DIR_$(1) := $(O)/$(1)$(OWN)
LIB_$(1) := $(O)/$(1)
AR_$(1) := gcc-ar
FLAGS_$(1) := -Itests -Itools -I. -DBERTH_TEST
LINK_$(1) ?= $$(CC_$(1))
END_$(1) := -Wl,--end-group -lm
PROGRAMS_$(1) ?= $(TESTS) $(FUZZERS)
endef
NATIVE := test clang coverage fuzz quick
$(foreach v,$(NATIVE),$(eval $(call native,$(v))))

# ---- what a program links ----------------------------------------------------------------------
# A test names the sources it links, `// deps: base/arena.c json/*.c`, and `// libs: yaml` if it
# calls a library itself; tools/deps.awk makes DEPS_tests/... and LIBS_tests/... of that.
LINKED := $(TESTS) $(BENCHES) $(FUZZERS) $(VECTOR_TEST) $(SIMULATOR) $(TOOLS) $(INIT)
$(shell mkdir -p $(O) && awk -f tools/deps.awk $(LINKED) /dev/null >$(O)/deps.$$$$ && \
	mv $(O)/deps.$$$$ $(O)/deps.mk)
include $(O)/deps.mk
# below base/arena.c -> src/base/arena.c
below = $(if $(filter tests/% tools/% firmware/%,$(1)),$(1),src/$(1))
source = $(if $(findstring *,$(1)),$(sort $(wildcard $(call below,$(1)))),$(call below,$(1)))
# sources TEST, libs_in FILES, libs_of TEST
listed = $(foreach d,$(DEPS_$(1)),$(call source,$(d)))
sources = $(call listed,$(1)) $(if $(filter src/plugins/plugins.c,$(call listed,$(1))),$(OWN_SRC))
libs_in = $(foreach f,$(1),$(LIBS_IN_$(word 2,$(subst /, ,$(f)))))
libs_of = $(sort unity $(LIBS_$(1)) $(call libs_in,$(call sources,$(1))))
# stamps LIBRARIES: what is there once they are unpacked; archives DIR,LIBRARIES: once compiled
stamps = $(patsubst %,$(O)/vendor/%/.version,$(1))
archives = $(patsubst %,$(1)/vendor/lib%.a,$(filter-out jsmn,$(2)))
# program_of VARIANT,SOURCE; programs_of VARIANT
program_of = $(DIR_$(1))/$(basename $(patsubst tools/%,%,$(patsubst tests/%,%,$(2))))
programs_of = $(foreach p,$(PROGRAMS_$(1)),$(call program_of,$(1),$(p)))
objects_of = $(patsubst %.c,$(DIR_$(1))/%.o,$(2) $(call sources,$(2)))

# ---- rules -------------------------------------------------------------------------------------
RULE_FILES := Makefile tools/make/flags.mk tools/make/rules.mk board/$(BOARD)/board.mk
# variant NAME: objects of src/, tests/ and tools/ below its folder.
define variant
$(DIR_$(1))/%.o: %.c $(RULE_FILES)
	$$(call say,CC,$$@)
	$$(Q)mkdir -p $$(@D) && $$(CC_$(1)) $$(CFLAGS) $$(FLAGS_$(1)) -MMD -MP -c -o $$@ $$<
$(SRC:%.c=$(DIR_$(1))/%.o): | $(FIRST_$(1))
$(DIR_$(1))/src/command/commands.o: | $(O)/vendor/dependencies.h
$(DIR_$(1))/src/status/page.o: $(O)/vendor/page.h
-include $(wildcard $(addprefix $(DIR_$(1))/,src/*.d src/*/*.d tests/*/*.d tools/*.d tools/*/*.d firmware/*/*.d))
programs-$(1): $(filter-out $(LEFT_OUT),$(call programs_of,$(1)))
list-$(1):
	@echo $(call programs_of,$(1)) $(if $(PLUGINS),,$(if $(filter test,$(1)),$$(OWN_PROGRAMS)))
endef
# archive NAME: libraries, one archive each, compiled by a make of its own once they are unpacked.
define archive
$(LIB_$(1))/vendor/lib%.a: $(O)/vendor/%/.version vendor/build.mk $(wildcard vendor/*/*.[ch]) \
		| $(FIRST_$(1))
	$$(call say,VENDOR,$$@)
	$$(Q)mkdir -p $$(@D) && flock $$(@D)/.lock $$(MAKE) -s -f vendor/build.mk NAME=$$* \
		OUT=$$(@D) SOURCE=$(O)/vendor/$$* AR=$$(AR_$(1)) \
		COMPILE="$$(CC_$(1)) $$(PREFIX_MAP) $$(VENDOR_INCLUDES) $$(VENDOR_DEFINES)"
endef
# program NAME,SOURCE
define program
$(call program_of,$(1),$(2)): $(call objects_of,$(1),$(2)) \
		$(call archives,$(LIB_$(1)),$(call libs_of,$(2)))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(LINK_$(1)) -o $$@ $$(filter %.o,$$^) \
		-Wl,--start-group $$(filter %.a,$$^) $$(END_$(1))
$(call objects_of,$(1),$(2)): | $(FIRST_$(1)) $(call stamps,$(call libs_of,$(2)))
endef
# unpacked NAME,FILE: a source that sees a library needs its headers.
define unpacked
$(DIR_$(1))/$(2:.c=.o): | $(call stamps,$(call libs_in,$(2)))
endef
# hot NAME,FILE
define hot
# private: what an object waits for, such as the C library, is not compiled like it.
$(DIR_$(1))/src/$(2).o: private OPTIMIZE = $(QUICK)
endef

$(foreach v,$(VARIANTS),$(eval $(call variant,$(v))))
$(foreach v,$(VARIANTS),$(foreach s,$(PROGRAMS_$(v)),$(eval $(call program,$(v),$(s)))))
$(foreach v,$(VARIANTS),$(foreach f,$(SRC),\
	$(if $(call libs_in,$(f)),$(eval $(call unpacked,$(v),$(f))))))
$(foreach v,board $(NATIVE),$(eval $(call archive,$(v))))
$(foreach v,board static,$(foreach f,$(HOT),$(eval $(call hot,$(v),$(f)))))

EMULATOR := $(if $(filter $(shell uname -m),$(MUSL_TARGET)),,$(QEMU))

# ---- libraries, and what is made of them -------------------------------------------------------
$(O)/vendor/%/.version: vendor/%/recipe vendor/fetch
	$(call say,FETCH,$*)
	$(Q)tools/packages build && vendor/fetch $* $(O)/vendor/$*
$(foreach c,$(wildcard vendor/*/cut),$(eval $(O)/$(dir $(c)).version: $(c)))

$(CLANG_IS_HERE):
	$(Q)tools/packages clang && mkdir -p $(@D) && touch $@

$(LIBC): $(O)/vendor/musl/.version vendor/build.mk
	$(call say,MUSL,$(BOARD))
	$(Q)tools/packages build $(PACKAGES) && mkdir -p $(B) && \
		flock $(B)/.lock $(MAKE) -s -f vendor/build.mk NAME=musl OUT=$(MUSL) \
		SOURCE=$(O)/vendor/musl TARGET=$(MUSL_TARGET) CROSS=$(CROSS) \
		FLAGS='$(CPU) $(SMALL) -fstack-protector-strong -fPIE $(PREFIX_MAP)'

GENERATED := $(O)/vendor/dependencies.h $(O)/vendor/page.h
$(O)/vendor/dependencies.h: $(call stamps,$(LIBRARIES) jsmn musl) tools/make/dependencies
	$(Q)tools/make/dependencies $(filter %.version,$^) >$@
$(O)/vendor/page.h: $(sort $(wildcard src/status/page/*)) tools/make/page
	$(Q)mkdir -p $(@D) && tools/make/page $(filter src/%,$^) >$@
