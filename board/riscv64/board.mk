# SPDX-License-Identifier: GPL-2.0-only
# 64-bit RISC-V with the general-purpose extensions (rv64gc): VisionFive 2, HiFive, Milk-V.
CROSS := riscv64-linux-gnu-
CPU := -march=rv64gc -mabi=lp64d
MUSL_TARGET := riscv64
QEMU := qemu-riscv64-static
# A limit that only ever goes down. This linker writes 24 bytes for each pointer that moves, 140 kB in all.
SIZE_MAX := 800000
PACKAGES := gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static
