# SPDX-License-Identifier: GPL-2.0-only
# 64-bit ARM: Raspberry Pi 3, 4, 5 and every other armv8-a. The AES and SHA instructions (Pi 5, most gateways; the Pi
# 3 and 4 lack them) are found at run time.
CROSS := aarch64-linux-gnu-
CPU := -march=armv8-a -mtune=cortex-a72 -mbranch-protection=pac-ret
MUSL_TARGET := aarch64
# A72 has no pointer authentication, whose emulation would take most of the time.
QEMU := qemu-aarch64-static -cpu cortex-a72
# A limit that only ever goes down. This linker writes 24 bytes for each pointer that moves, 140 kB in all.
SIZE_MAX := 930000
PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
