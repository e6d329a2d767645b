# SPDX-License-Identifier: GPL-2.0
#
# Every command of the project; `make help` lists them.

BASE ?=
KSRC ?=
KVER ?= $(shell uname -r)
BUILD ?=
SERIES ?=

LAB := tools/testing/lab/lab
TREES := tools/kernel/kernel
DEPS := tools/kernel/install-deps
KERNEL := --base "$(BASE)" --ksrc "$(KSRC)"

.PHONY: help
help: ## list these commands
	@echo "make COMMAND [BASE=7.2|6.12|6.1] [KSRC=/path/to/linux]"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | \
		while IFS='	' read -r name text; do \
			printf '  %-13s %s\n' "$$name" "$$text"; \
		done
	@echo
	@echo "BASE: kernel to work on [the newest available]"
	@echo "KSRC: a kernel folder, tarball or git tree to use instead of Debian's"

.PHONY: demo
demo: ## stock and patched kernel over three WANs (10 min, later 1)
	@$(DEPS) tree kernel lab
	@$(LAB) demo $(KERNEL)

.PHONY: check
check: ## run every test; last line: N passed, N failed (18 min, at first more)
	@$(DEPS) tree kernel lab tcptuned check deb
	@tools/testing/check $(KERNEL)

.PHONY: check-long
check-long: ## TLS, 10 GB compared, stress with sanitizers (3 h, later 1)
	@$(DEPS) tree kernel lab qemu check
	@tools/testing/check --long $(KERNEL)
	@$(LAB) stress $(KERNEL)

.PHONY: check-boot
check-boot: ## test the packages in a Debian in qemu, to apt purge (80 min)
	@$(DEPS) tree kernel lab qemu tcptuned deb
	@tools/testing/boot/boot

.PHONY: bench
bench: tcptuned ## compare with other set-ups (hours; continues when rerun)
	@$(DEPS) tree kernel lab
	@$(LAB) bench $(KERNEL)

.PHONY: bench-quick
bench-quick: tcptuned ## measure a few cells of the bench (10 min)
	@$(DEPS) tree kernel lab
	@$(LAB) bench --quick $(KERNEL)

.PHONY: pictures
pictures: ## make tables and pictures of Documentation/bench/ from its rows
	@$(DEPS) tree pictures
	@$(LAB) bench --pictures

.PHONY: tree
tree: ## make a stock and a patched kernel tree below build/
	@$(DEPS) tree
	@$(TREES) tree $(KERNEL)

.PHONY: kernel
kernel: ## build the lab's patched kernel
	@$(DEPS) tree kernel
	@$(LAB) build $(KERNEL)

.PHONY: series
series: ## write all series, or SERIES=, for git am; BUILD=1 builds them
	@$(DEPS) tree check $(if $(BUILD),kernel)
	@$(TREES) series $(KERNEL) --series "$(SERIES)" $(if $(BUILD),--build)

.PHONY: module
module: ## build sunrpc.ko for an installed kernel, KVER= [the running one]
	@KVER="$(KVER)" $(DEPS) tree kernel module
	@$(TREES) module $(KERNEL) --kver "$(KVER)"

.PHONY: tcptuned
tcptuned: ## build the daemon in build/tcptuned/
	@$(DEPS) tcptuned
	@$(MAKE) --no-print-directory -C tools/tcptuned O=../../build/tcptuned

.PHONY: fuzz
fuzz: ## fuzz the daemon's inputs; S= seconds each [60]
	@$(DEPS) tcptuned fuzz
	@$(MAKE) --no-print-directory -C tools/tcptuned \
		O=../../build/tcptuned S=$(or $(S),60) fuzz

.PHONY: faults
faults: tcptuned ## kill the daemon and fail its writes; N= times [1000] (20 min)
	@$(DEPS) lab faults
	@tools/tcptuned/tests/system/faults.py build/tcptuned/tcptuned \
		$(or $(N),1000)

.PHONY: install
install: ## install the daemon; DESTDIR= [prefix=/usr]
	@$(MAKE) --no-print-directory -C tools/tcptuned \
		O=../../build/tcptuned install

.PHONY: deb
deb: ## build packages in out/deb/; BASE= for patches of one base only
	@$(DEPS) tree check tcptuned deb
	@for base in $(or $(BASE),7.2 6.12 6.1); do \
		$(TREES) series --base $$base --ksrc "$(KSRC)" || \
		echo "linux-patch-sunrpc-tcpbuf will have no patches for $$base"; \
	done
	@$(TREES) deb

.PHONY: clean
clean: ## delete build/ and out/, downloads included
	rm -rf "$$(readlink -f build)" build out
