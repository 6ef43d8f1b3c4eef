# SPDX-License-Identifier: GPL-2.0-only
# 64-bit RISC-V with the general-purpose extensions (rv64gc): VisionFive 2, HiFive, Milk-V.
CROSS := riscv64-linux-gnu-
CPU := -march=rv64gc -mabi=lp64d
MUSL_TARGET := riscv64
QEMU := qemu-riscv64-static
# The budget of x86_64, plus what this linker writes: 24 bytes for each pointer that moves, some 6,000 of them.
SIZE_MAX := 1454720
PACKAGES := gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static
