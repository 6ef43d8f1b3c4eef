# SPDX-License-Identifier: GPL-2.0-only
# Servers, mini PCs, virtual machines: every 64-bit x86. AES-NI and PCLMUL are found at run time.
CROSS := x86_64-linux-gnu-
CPU := -march=x86-64 -mtune=generic
MUSL_TARGET := x86_64
QEMU := qemu-x86_64-static
# Stripped bytes the binary may have. The goal is 800000, from before there was a page and a server side of TLS; this is
# where it stands, and a limit that only ever goes down.
SIZE_MAX := 856000
PACKAGES :=
# A pointer that needs the load address costs a bit instead of 24 bytes; this linker knows it for x86 only.
RELOCATIONS := -Wl,-z,pack-relative-relocs
