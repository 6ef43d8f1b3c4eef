# SPDX-License-Identifier: GPL-2.0-only
# 64-bit ARM: Raspberry Pi 3, 4, 5 and every other armv8-a. The AES and SHA instructions (Pi 5, most gateways; the Pi
# 3 and 4 lack them) are found at run time.
CROSS := aarch64-linux-gnu-
CPU := -march=armv8-a -mtune=cortex-a72 -mbranch-protection=pac-ret
MUSL_TARGET := aarch64
# A72 has no pointer authentication, whose emulation would take most of the time.
QEMU := qemu-aarch64-static -cpu cortex-a72
# The budget of x86_64, plus what this linker writes: 24 bytes for each pointer that moves, some 6,000 of them.
SIZE_MAX := 1454720
# Segments begin at 64 kB here, since kernels may have such pages, so the file grows in such steps: with
# -O2 in the hot folders it is one step over its budget.
QUICK := -Os
PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
