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
	@echo "BASE: kernel to work on, by default the newest that can be had."
	@echo "KSRC: a kernel folder, tarball or git tree instead of Debian's."

.PHONY: demo
demo: ## stock kernel against patched over three WANs (10 min, later 1)
	@$(DEPS) tree kernel lab
	@$(LAB) demo $(KERNEL)

.PHONY: check
check: ## every test; last line: N passed, N failed (40 min, later 25)
	@$(DEPS) tree kernel lab tcptuned check deb
	@tools/testing/check $(KERNEL)

.PHONY: check-long
check-long: ## the stress on two processors, with sanitizers (1 h, first 2 h)
	@$(DEPS) tree kernel lab qemu
	@$(LAB) stress $(KERNEL)

.PHONY: check-boot
check-boot: ## a Debian in qemu, from apt install to apt purge (80 min)
	@$(DEPS) tree kernel lab qemu tcptuned deb
	@tools/testing/boot/boot

.PHONY: bench
bench: tcptuned ## against what else one could do (hours; the same again resumes)
	@$(DEPS) tree kernel lab
	@$(LAB) bench $(KERNEL)

.PHONY: bench-quick
bench-quick: tcptuned ## some cells of the bench (10 min)
	@$(DEPS) tree kernel lab
	@$(LAB) bench --quick $(KERNEL)

.PHONY: pictures
pictures: ## pictures and tables of Documentation/bench/, of its rows
	@$(DEPS) tree pictures
	@$(LAB) bench --pictures

.PHONY: bench-bpftune
bench-bpftune: tcptuned ## beside bpftune, in qemu (20 min; resumes too)
	@$(DEPS) tree lab qemu
	@tools/testing/boot/bpftune

.PHONY: cost
cost: ## what the series costs the processor (15 min)
	@$(DEPS) tree kernel lab
	@$(LAB) cost $(KERNEL)

.PHONY: tree
tree: ## a stock and a patched kernel tree below build/
	@$(DEPS) tree
	@$(TREES) tree $(KERNEL)

.PHONY: kernel
kernel: ## the lab's patched kernel, built
	@$(DEPS) tree kernel
	@$(LAB) build $(KERNEL)

.PHONY: series
series: ## every series for git am, or SERIES=; BUILD=1 builds each patch
	@$(DEPS) tree check $(if $(BUILD),kernel)
	@$(TREES) series $(KERNEL) --series "$(SERIES)" $(if $(BUILD),--build)

.PHONY: module
module: ## sunrpc.ko for an installed kernel, KVER= [the running one]
	@KVER="$(KVER)" $(DEPS) tree kernel module
	@$(TREES) module $(KERNEL) --kver "$(KVER)"

.PHONY: tcptuned
tcptuned: ## the daemon, in build/tcptuned/
	@$(DEPS) tcptuned
	@$(MAKE) --no-print-directory -C tools/tcptuned O=../../build/tcptuned

.PHONY: install
install: ## the daemon for this system; DESTDIR= [prefix=/usr]
	@$(MAKE) --no-print-directory -C tools/tcptuned \
		O=../../build/tcptuned install

.PHONY: deb
deb: ## Debian packages in out/deb/; BASE= for the patches of one base only
	@$(DEPS) tree check tcptuned deb
	@for base in $(or $(BASE),7.2 6.12 6.1); do \
		$(TREES) series --base $$base --ksrc "$(KSRC)" || \
		echo "linux-patch-sunrpc-tcpbuf will have no patches for $$base"; \
	done
	@$(TREES) deb

.PHONY: clean
clean: ## delete everything that was built, downloads included
	rm -rf "$$(readlink -f build)" build out
