# SPDX-License-Identifier: GPL-2.0-only
# Compiles one unpacked library: make -f vendor/build.mk NAME=yaml SOURCE=DIR OUT=DIR COMPILE='gcc ...' AR=ar
# A makefile of its own because the list of files is known only after unpacking. -w: their warnings stop here.
FILES_mbedtls := library/*.c
FILES_mongoose := mongoose.c
FILES_yaml := src/*.c
FILES_unity := src/unity.c
# Their warnings are theirs.
TERMS := -w -std=gnu11
FLAGS_mbedtls := -I$(SOURCE)/library
# Every byte of the wire goes through these two, and where there are no AES instructions this cipher is the one.
FLAGS_library/chacha20 := -O2
FLAGS_library/poly1305 := -O2
# Its memory is src/yaml/memory.c's.
FLAGS_yaml := -Ivendor/yaml -I$(SOURCE)/src -DNDEBUG $(foreach f,malloc realloc free strdup,-D$(f)=yaml_library_$(f)) -DYAML_VERSION_STRING='"0.2.5"' -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5

FILES := $(sort $(wildcard $(addprefix $(SOURCE)/,$(FILES_$(NAME)))))
# Files of ours that stand in for something the library has too much of.
OURS := $(wildcard vendor/$(NAME)/*.c)
OBJECTS := $(patsubst $(SOURCE)/%.c,$(OUT)/$(NAME)/%.o,$(FILES)) $(patsubst vendor/%.c,$(OUT)/%.o,$(OURS))
OWN := $(wildcard vendor/$(NAME)/*.h) $(SOURCE)/.version vendor/build.mk

.PHONY: default
default: $(if $(filter musl,$(NAME)),$(OUT)/lib/libc.a,$(OUT)/lib$(NAME).a)

$(OUT)/lib$(NAME).a: $(OBJECTS)
	@rm -f $@ && $(AR) rcsD $@ $^

$(OUT)/$(NAME)/%.o: $(SOURCE)/%.c $(OWN)
	@mkdir -p $(@D) && $(COMPILE) $(TERMS) $(FLAGS_$(NAME)) $(FLAGS_$*) -c -o $@ $<
$(OUT)/$(NAME)/%.o: vendor/$(NAME)/%.c $(OWN)
	@mkdir -p $(@D) && $(COMPILE) $(TERMS) $(FLAGS_$(NAME)) -c -o $@ $<

# musl has a configure and a makefile of its own.
$(OUT)/lib/libc.a: $(SOURCE)/.version vendor/build.mk
	@rm -rf $(OUT) && mkdir -p $(OUT)/obj && cd $(OUT)/obj && \
		$(abspath $(SOURCE))/configure --target=$(TARGET) --prefix=$(abspath $(OUT)) --disable-shared CC=$(CROSS)gcc \
		CROSS_COMPILE=$(CROSS) CFLAGS='$(FLAGS) -w' >configure.log && $(MAKE) install >make.log && touch ../lib/libc.a
