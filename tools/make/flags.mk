# SPDX-License-Identifier: GPL-2.0-only
# How it is compiled. Included by the Makefile.

WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wstrict-prototypes \
	-Wmissing-prototypes -Wsign-compare -Wvla -Wformat=2 -Werror
# -isystem: their headers keep their warnings.
VENDOR_INCLUDES := $(patsubst %,-isystem %,vendor/mbedtls vendor/mongoose \
	$(addprefix $(O)/vendor/,mbedtls/include mongoose jsmn yaml/include unity/src))
VENDOR_DEFINES := -DMBEDTLS_CONFIG_FILE='<mbedtls_config.h>' -DUNITY_INCLUDE_DOUBLE \
	-DUNITY_SUPPORT_64
# Objects do not know where they were built.
PREFIX_MAP := -ffile-prefix-map=$(CURDIR)=.
# -iquote: a board's limits.h must never shadow the <limits.h> of C.
CFLAGS := -std=c11 -D_DEFAULT_SOURCE -g -fno-common $(PREFIX_MAP) $(WARNINGS) -Isrc \
	-iquote board/$(BOARD) -iquote $(O)/vendor $(VENDOR_INCLUDES) $(VENDOR_DEFINES) \
	-DBERTH_VERSION='"$(VERSION)"' -DBERTH_BOARD='"$(BOARD)"' \
	$(if $(OWN),-DBERTH_PLUGINS='"plugins$(OWN).h"')

# musl has no fortified headers, so _FORTIFY_SOURCE would do nothing. In its place: stack protector,
# stack clash probes, automatic variables set to zero, RELRO with bind now, position independence,
# the banned calls of tools/check, and the sanitizers over every test.
HARDEN := -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero -fPIE \
	-fvisibility=hidden

# Small, but for what runs for each node of a decision, for each term and selector of it, or for each
# byte read: the files in which callgrind finds the instructions of `make bench`.
OPTIMIZE = -Oz
HOT := $(addprefix base/,hash intern map pool scratch store) json/cut_run \
	cache/query $(addprefix cycle/,evaluate fast plain rows score) \
	$(addprefix plugins/,fit_score inter_pod_affinity_score normalise)
# Not aligned: the loops are longer than what is gained at their heads.
QUICK ?= -O2 -fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels
SMALL = $(OPTIMIZE) -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables -fno-unwind-tables
# What is shipped is optimised as a whole and in one piece; tests and benches link the same objects,
# which therefore hold both forms.
WHOLE_PROGRAM := -flto=auto -flto-partition=one -ffat-lto-objects

SANITIZE := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

# Not every gcc knows -static-pie (ARM, RISC-V of Debian 12 ask for a loader), so it is spelled out
# for the linker.
comma := ,
LINKER := -pie --no-dynamic-linker -z text -z relro -z now -z noexecstack -z separate-code \
	--gc-sections --build-id
LINK_STATIC_PIE = -nostdlib -static $(patsubst %,-Wl$(comma)%,$(LINKER)) -Wl,-T,tools/make/layout.ld $(LAYOUT)
