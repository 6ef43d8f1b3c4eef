# SPDX-License-Identifier: GPL-2.0-only
# 32-bit ARM gateways with 512 MB: the board that keeps berth honest. Thumb-2 code is a third smaller.
CROSS := arm-linux-gnueabihf-
CPU := -march=armv7-a -mfpu=vfpv3-d16 -mfloat-abi=hard -mthumb
MUSL_TARGET := armhf
QEMU := qemu-arm-static
# The budget of x86_64, though a pointer that moves takes 8 bytes here: Thumb-2 code is that much smaller.
SIZE_MAX := 1310720
PACKAGES := gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user-static
