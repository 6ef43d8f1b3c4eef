# SPDX-License-Identifier: GPL-2.0-only
# Servers, mini PCs, virtual machines: every 64-bit x86. AES-NI and PCLMUL are found at run time.
CROSS := x86_64-linux-gnu-
# Data is aligned as the ABI asks, not to 32 bytes, of which nothing here gains; the guard of the stack is read as on the
# other boards, from a variable: 4 bytes shorter than from the thread, twice in each function that has one.
CPU := -march=x86-64 -mtune=generic -malign-data=abi -mstack-protector-guard=global
MUSL_TARGET := x86_64
QEMU := qemu-x86_64-static
# Stripped bytes the binary may have.
SIZE_MAX := 1310720
PACKAGES :=
# A pointer that needs the load address costs a bit instead of 24 bytes; this linker knows it for x86 only.
LAYOUT := -Wl,-z,pack-relative-relocs
