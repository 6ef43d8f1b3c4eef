# SPDX-License-Identifier: GPL-2.0-only
# Compiles one unpacked library: make -f vendor/build.mk NAME=yaml SOURCE=DIR OUT=DIR COMPILE='gcc ...' AR=ar
# A makefile of its own because the list of files is known only after unpacking. -w: their warnings stop here.
FILES_mbedtls := library/*.c
FILES_mongoose := mongoose.c
FILES_yaml := src/*.c
FILES_unity := src/unity.c
FLAGS_mbedtls := -I$(SOURCE)/library -DMBEDTLS_CONFIG_FILE='"mbedtls_config.h"'
FLAGS_yaml := -DYAML_VERSION_STRING='"0.2.5"' -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5
FLAGS_unity := -DUNITY_INCLUDE_DOUBLE

FILES := $(sort $(wildcard $(addprefix $(SOURCE)/,$(FILES_$(NAME)))))
OBJECTS := $(patsubst $(SOURCE)/%.c,$(OUT)/$(NAME)/%.o,$(FILES))
OWN := $(wildcard vendor/$(NAME)/*.h) $(SOURCE)/.version vendor/build.mk

$(OUT)/lib$(NAME).a: $(OBJECTS)
	@rm -f $@ && $(AR) rcsD $@ $^

$(OBJECTS): $(OUT)/$(NAME)/%.o: $(SOURCE)/%.c $(OWN)
	@mkdir -p $(@D) && $(COMPILE) -w -std=gnu11 $(FLAGS_$(NAME)) -c -o $@ $<
