# SPDX-License-Identifier: GPL-2.0-only
################################################################################
#
# berth
#
################################################################################
# Buildroot: copy this folder to package/berth of a tree or of a BR2_EXTERNAL, and source its Config.in. Of the toolchain only
# the compiler is used: berth brings its own C library and links it statically.

BERTH_VERSION = 0.1.0
BERTH_SITE = $(BERTH_PKGDIR)
BERTH_SITE_METHOD = file
BERTH_SOURCE = berth-$(BERTH_VERSION).tar.gz
BERTH_LICENSE = GPL-2.0-only
BERTH_LICENSE_FILES = LICENSE NOTICE

BERTH_BOARD = $(strip $(if $(BR2_x86_64),x86_64,$(if $(BR2_aarch64),rpi4,$(if $(BR2_riscv),riscv64,gateway-armv7))))

define BERTH_BUILD_CMDS
	BERTH_TOOLS_ARE_HERE=1 $(MAKE) -C $(@D) BOARD=$(BERTH_BOARD) CROSS=$(TARGET_CROSS)
endef

define BERTH_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 0755 $(@D)/build/$(BERTH_BOARD)/berth $(TARGET_DIR)/usr/bin/berth
	$(INSTALL) -D -m 0644 $(@D)/firmware/package/berth.yaml $(TARGET_DIR)/etc/berth/berth.yaml
endef

define BERTH_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(BERTH_PKGDIR)/S90berth $(TARGET_DIR)/etc/init.d/S90berth
endef

define BERTH_INSTALL_INIT_SYSTEMD
	$(INSTALL) -D -m 0644 $(@D)/firmware/package/berth.service $(TARGET_DIR)/usr/lib/systemd/system/berth.service
endef

define BERTH_USERS
	berth -1 berth -1 * - - - Kubernetes scheduler
endef

$(eval $(generic-package))
