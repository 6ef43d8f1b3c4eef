# SPDX-License-Identifier: GPL-2.0-only
# 64-bit ARM: Raspberry Pi 3, 4, 5 and every other armv8-a. The AES and SHA instructions (Pi 5, most gateways; the Pi
# 3 and 4 lack them) are found at run time.
CROSS := aarch64-linux-gnu-
# The guard of the stack is read from the thread, where musl keeps a copy of it 16 bytes below the thread pointer: two
# instructions less than from a variable, in each of some 2,500 functions.
CPU := -march=armv8-a -mtune=cortex-a72 -mbranch-protection=pac-ret -mstack-protector-guard=sysreg \
	-mstack-protector-guard-reg=tpidr_el0 -mstack-protector-guard-offset=-16
MUSL_TARGET := aarch64
# A72 has no pointer authentication, whose emulation would take most of the time.
QEMU := qemu-aarch64-static -cpu cortex-a72
# The budget of x86_64; 86 kB by which its instructions are longer; and the gaps between segments, which begin at 64 kB,
# since kernels may have such pages, so that the file grows in such steps.
SIZE_MAX := 1474560
# With -O2 in the hot files it would be one step more.
QUICK := -Os
# A pointer that needs the load address costs a bit instead of 24 bytes: 112 kB.
RELINK := $(if $(BERTH_TOOLS_ARE_HERE),,ld.lld)
PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross lld qemu-user-static
