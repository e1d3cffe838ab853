# stfm: train neural networks under Slurm, from the shell.
#
#	make		build bin/ and libexec/ in place
#	make demo	show the main job on a private Slurm
#	make help	this list
#	make check	run all tests; TESTS='tests/help.t' runs some
#	make check-store	the unit tests of lib/store; so for each folder
#	make tour	update what stfm-tour(7) shows
#	make lint	check layout, pages, scripts; warnings are errors
#	make bench	measure it beside its neighbours: bench/RESULTS
#	make bench-search	measure the search beside Optuna; SEEDS=40
#	make bench-search-real	the same with trainings that run
#	make scale		how stfm grows with tasks, jobs and nodes
#	make deps	install what is missing from the distribution's packages
#	make SLURM=text	without libslurm, which is so where its headers lack
#	make install	DESTDIR and prefix are honoured; so does uninstall
#	make install-strip	the same without what only debuggers read
#	make dist	a tarball; distcheck, deb and rpm build from it
#	make trouble	trouble with Slurm at random moments, ROUNDS=200 of them
#	make concurrent	eight programs at once on one store, OPS=5000 times
#	make check-sanitize	the tests once more under ASan and UBSan
#	make fuzz	let a fuzzer at every parser; SECONDS=600, TARGET=space
#	make nfs	many writers on real NFS, in a guest of QEMU
#	make faults	calls of each program going wrong; FAULTS=ci: few;
#			FAULTS=all: each call, up to the fault_cap that some
#			sweeps have; FAULTS='run stop': of these
#	make headers	compile against many releases of Slurm; HEADERS=DIR
#	make compat	the tests on releases of Slurm: tests/COMPAT; needs root
#	make compat-units	the unit tests for other processors and musl
#	make mutants	whether the tests see what is broken; FAULTS=ci: some

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec
mandir ?= $(prefix)/share/man
datadir ?= $(prefix)/share
# Where the defaults of a site are looked for, in stfm/config.json.
sysconfdir ?= /etc
zshdir ?= $(datadir)/zsh/site-functions

PKG_CONFIG ?= pkg-config
INSTALL ?= install
PROVE ?= prove --exec tests/run.sh
# What looks for defects is built faster than it runs.
CFLAGS ?= $(if $(SANITIZE),-O1,-O2) -g
CSV_LIBS ?= -lcsv
# How Slurm is asked: through its library, or, with SLURM=text or where there
# are no headers of it, through its commands alone.
has_slurm = $(shell echo '\#include <slurm/slurm.h>' | \
	$(CC) $(CPPFLAGS) -E -o /dev/null - 2>/dev/null && echo yes)
ifndef SLURM
SLURM := $(if $(has_slurm),library,text)
endif
SLURM_LIBS ?= $(if $(filter text,$(SLURM)),,-lslurm)
# pkg-config's word for a library, or the obvious one where it has none.
library = $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null || echo -l$(1))
JANSSON_LIBS ?= $(call library,jansson)
CMOCKA_LIBS ?= $(call library,cmocka)
# What runs on the compute nodes needs nothing installed there.
STATIC ?= -static
# How many tests run at once; most of their time is spent waiting.
JOBS ?= 4

# SANITIZE=1 builds with ASan and UBSan, apart from the ordinary build: there
# the programs live below $(build), otherwise they are built in place.
# With clang, the fuzzers can be linked with the same objects.  Adding 0 to a
# null pointer is an error to clang alone, and none in C from 2024 on.
ifdef SANITIZE
build := build/sanitize
place := $(build)/
static := -pie
harden := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer \
	$(if $(findstring clang,$(CC)),-fsanitize=fuzzer-no-link \
		-fno-sanitize=pointer-overflow)
else
build := build/plain
place :=
static := $(STATIC)
# Fortified functions exist only in optimised code.
harden := $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),\
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif

cppflags = -D_GNU_SOURCE -iquote lib \
	$(if $(filter text,$(SLURM)),-DSTFM_NO_LIBSLURM) $(CPPFLAGS)
cflags = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wformat=2 -Wno-missing-field-initializers \
	-fstack-protector-strong -fPIE $(harden) $(CFLAGS)
ldflags = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)
libs = $(CSV_LIBS) $(JANSSON_LIBS) -lm

lib_c := $(filter-out $(if $(filter text,$(SLURM)),lib/slurm/library%),\
	$(wildcard lib/*/*.c))
lib_o := $(lib_c:%.c=$(build)/%.o)
lib_a := $(build)/libstfm.a
commands := $(patsubst %.c,$(place)%,$(wildcard bin/*.c))
helpers := $(patsubst %.c,$(place)%,$(wildcard libexec/*.c))
probes := $(addprefix $(place),$(wildcard libexec/probe.*))
unit_tests := $(patsubst %.c,$(build)/%,$(wildcard tests/unit/*/*-test.c))
fixtures := $(patsubst %.c,$(build)/%,$(wildcard tests/*-fixture.c))
replays := $(build)/tests/search-replay
serves := $(build)/bench/search-serve
fuzz_targets := $(filter-out fuzz replay,\
	$(basename $(notdir $(wildcard tests/fuzz/*.c))))
fuzz_replays := $(fuzz_targets:%=$(build)/tests/fuzz/%-replay)
fuzzers := $(fuzz_targets:%=$(build)/tests/fuzz/%)
objects := $(lib_o) $(patsubst %.c,$(build)/%.o,$(wildcard bin/*.c \
	libexec/*.c tests/unit/*/*-test.c tests/*-fixture.c \
	tests/search-replay.c tests/fuzz/*.c \
	tests/nfs/*.c bench/*.c))

all: $(commands) $(helpers) $(probes)

help:
	@awk '/^#\t/ { print substr($$0, 3); next } NR > 2 { exit }' \
		$(firstword $(MAKEFILE_LIST))

unit: $(unit_tests) $(fixtures) $(replays) $(serves) $(fuzz_replays)
fuzzers: $(fuzzers)
objects: $(objects)

# Other flags, another build: this file changes only when they do.
flags = $(CC) $(cppflags) $(cflags) $(sysconfdir)
$(build)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(flags))' | cmp -s - $@ || \
		echo '$(subst ','\'',$(flags))' >$@

$(build)/lib/config/config.o: private cppflags += \
	-DSTFM_SYSCONFDIR='"$(sysconfdir)"'

$(build)/%.o: %.c $(build)/flags
	@mkdir -p $(@D)
	$(CC) $(cppflags) $(cflags) $(WERROR) -MMD -MP -c -o $@ $<

$(lib_a): $(lib_o)
	@rm -f $@
	$(AR) qcs $@ $^

$(commands): $(place)bin/%: $(build)/bin/%.o $(lib_a)
	@mkdir -p $(@D)
	$(CC) $(cflags) $(ldflags) -o $@ $< $(lib_a) $(libs) $(SLURM_LIBS)

$(helpers): $(place)libexec/%: $(build)/libexec/%.o $(lib_a)
	@mkdir -p $(@D)
	$(CC) $(cflags) $(static) $(LDFLAGS) -o $@ $< $(lib_a) $(libs)

ifneq ($(place),)
$(probes): $(place)libexec/%: libexec/%
	@mkdir -p $(@D)
	cp $< $@
endif

$(unit_tests): $(build)/tests/unit/%-test: $(build)/tests/unit/%-test.o \
	$(lib_a)
	$(CC) $(cflags) $(ldflags) -o $@ $< $(lib_a) $(libs) $(SLURM_LIBS) \
		$(CMOCKA_LIBS)

$(fixtures) $(replays) $(serves): $(build)/%: $(build)/%.o $(lib_a)
	$(CC) $(cflags) $(ldflags) -o $@ $< $(lib_a) $(libs)

fuzz_o = $(build)/tests/fuzz/$*.o $(build)/tests/fuzz/fuzz.o
$(fuzz_replays): $(build)/tests/fuzz/%-replay: $(build)/tests/fuzz/%.o \
	$(build)/tests/fuzz/fuzz.o $(build)/tests/fuzz/replay.o $(lib_a)
	$(CC) $(cflags) $(ldflags) -o $@ $(fuzz_o) \
		$(build)/tests/fuzz/replay.o $(lib_a) $(libs) $(SLURM_LIBS)

$(fuzzers): $(build)/tests/fuzz/%: $(build)/tests/fuzz/%.o \
	$(build)/tests/fuzz/fuzz.o $(lib_a)
	$(CC) $(cflags) -fsanitize=fuzzer $(ldflags) -o $@ $(fuzz_o) \
		$(lib_a) $(libs) $(SLURM_LIBS)

# Goes into a guest that has nothing installed.
rounds := $(build)/tests/nfs/rounds
$(rounds): $(build)/tests/nfs/rounds.o $(lib_a)
	$(CC) $(cflags) $(static) $(LDFLAGS) -o $@ $< $(lib_a) $(libs)

.PHONY: nfs
nfs: deps
	@$(MAKE) --no-print-directory $(rounds)
	@tests/nfs.sh build/nfs $(rounds)

deps:
	@tests/deps.sh check

deps-examples: deps
	@tests/deps.sh example
	-@tests/deps.sh look

deps-bench: deps
	@tests/deps.sh bench

deps-lint: deps
	@tests/deps.sh lint

deps-fuzz: deps
	@tests/deps.sh fuzz

# Where the commands print something else, this does, to be looked at.
tour: deps
	@$(MAKE) --no-print-directory all
	@mkdir -p $(build)
	@tests/tour.sh $(CURDIR)/man/stfm-tour.7 >$(build)/tour
	@cat $(build)/tour >man/stfm-tour.7

demo: deps
	@$(MAKE) --no-print-directory all
	@examples/demo.sh

# Those that take longest begin first, then all that have a Slurm of their own.
slurm_units := $(build)/tests/unit/slurm/queue-test
longest := $(patsubst %,tests/%.t,slurm-examples examples-in-pages \
	slurm-settled examples tracking samplers slurm-search-beside)
slow_tests := $(longest) $(filter-out $(longest),$(wildcard tests/slurm-*.t)) \
	$(slurm_units) tests/settled.t tests/stfm-check.t
TESTS ?= $(slow_tests) \
	$(filter-out $(slow_tests),$(wildcard tests/*.t) $(unit_tests))

check: deps-examples
	@$(MAKE) --no-print-directory all unit
	@$(PROVE) -j$(JOBS) $(TESTS)

# The unit tests of one folder of lib/.
unit_folders := $(notdir $(patsubst %/,%,$(wildcard tests/unit/*/)))
units_of = $(filter $(build)/tests/unit/$*/%,$(unit_tests))
$(unit_folders:%=check-%): check-%:
	@$(MAKE) --no-print-directory $(units_of)
	@$(PROVE) -j$(JOBS) $(units_of)
unitless := $(filter-out $(unit_folders),\
	$(patsubst lib/%/,%,$(wildcard lib/*/)))
$(unitless:%=check-%): check-%:
	@echo "lib/$* has no unit tests: its commands are tested, as with"
	@echo "	make check TESTS=\"\$$(echo tests/stfm-*.t)\""

# A sanitizer's finding has an exit status that no command has, and is found too
# where a test does not ask how a program ended.
reports := $(CURDIR)/build/sanitize/reports
sanitizer := exitcode=99:log_path=$(reports)/report
suppressed := print_suppressions=0:suppressions=$(CURDIR)/tests/data/leaks
check-sanitize: deps-examples deps-fuzz
	@$(MAKE) --no-print-directory SANITIZE=1 CC=clang all unit
	@rm -rf $(reports) && mkdir -p $(reports)
	@SANITIZE=1 STFM_BIN_DIR=build/sanitize/bin \
		ASAN_OPTIONS=$(sanitizer):detect_stack_use_after_return=1 \
		LSAN_OPTIONS=$(sanitizer):$(suppressed) \
		UBSAN_OPTIONS=$(sanitizer):print_stacktrace=1 \
		$(PROVE) -j$(JOBS) \
		$(subst build/plain/,build/sanitize/,$(TESTS))
	@! { ls $(reports)/* 2>/dev/null && cat $(reports)/*; }

# Needs a quiet machine and some minutes.
bench: deps-bench
	@$(MAKE) --no-print-directory all unit
	@bench/run.sh bench.py --write bench/RESULTS

# Needs no quiet machine, but about an hour.
SEEDS ?= 40
bench-search: deps-bench
	@$(MAKE) --no-print-directory $(serves)
	@bench/run.sh search.py --seeds $(SEEDS) --write bench/SEARCH-RESULTS

# Half an hour, most of it waiting.
scale: deps-bench
	@$(MAKE) --no-print-directory all unit
	@bench/run.sh scale.py --write bench/SCALE

bench-search-real: deps-bench
	@$(MAKE) --no-print-directory all
	@bench/run.sh search-real.py --write bench/SEARCH-REAL

# Rounds at random moments, in lanes side by side; SEED repeats what failed.
ROUNDS ?= 200
LANES ?= 4
SEED ?= $(shell date +%s)
trouble: deps
	@$(MAKE) --no-print-directory all
	@ROUNDS=$(ROUNDS) SEED=$(SEED) LANES=$(LANES) tests/trouble.sh

OPS ?= 5000
concurrent: deps
	@$(MAKE) --no-print-directory all
	@OPS=$(OPS) SEED=$(SEED) sh tests/slurm-concurrent.t

# Against a clone of Slurm's repository, or a directory with */slurm/slurm.h.
HEADERS ?= headers
.PHONY: headers
headers:
	@tests/headers.sh $(build) '$(HEADERS)' $(CC) $(cppflags) $(cflags)

.PHONY: fuzz fuzzers deps-fuzz
# A minute for each target, two at a time.
SECONDS ?= 60
TARGET ?= $(fuzz_targets)
fuzz: deps-fuzz
	@$(MAKE) --no-print-directory SANITIZE=1 CC=clang fuzzers
	@tests/fuzz.sh build/sanitize/tests/fuzz $(SECONDS) $(TARGET)

# What makes the faults, and the runner with libraries that can be replaced.
fault_tools := $(addprefix build/faults/,fault memory.so stfm-run)

build/faults/fault: tests/faults/fault.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra $(CFLAGS) -o $@ $<

build/faults/memory.so: tests/faults/memory.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra $(CFLAGS) -shared -fPIC \
		-o $@ $<

build/faults/stfm-run: $(build)/libexec/stfm-run.o $(lib_a)
	@mkdir -p $(@D)
	$(CC) $(cflags) $(ldflags) -o $@ $< $(lib_a) $(libs)

fault-tools: $(fault_tools) $(fixtures)

faults: deps
	-@tests/deps.sh fault
	@$(MAKE) --no-print-directory all fault-tools
	@FAULTS='$(FAULTS)' PROVE="$(PROVE) -j$(JOBS)" tests/faults/all.sh

# On other releases of Debian, with their Slurm: a quarter of an hour each.
SUITES ?= bookworm trixie sid
compat:
	@tests/compat.sh --write tests/COMPAT $(SUITES)

# Under an emulator: ten minutes for each target.
UNITS ?= aarch64 s390x musl noavx
compat-units:
	@tests/deps.sh elsewhere
	@JOBS=$(JOBS) tests/elsewhere.sh --write tests/COMPAT-UNITS $(UNITS)

# Whether the tests see it when something is broken.
mutants: deps
	-@tests/deps.sh fault
	@FAULTS=$(FAULTS) tests/faults/mutants.sh

c_files := $(wildcard bin/*.c lib/*/*.[ch] libexec/*.c bench/*.c tests/*.c \
	tests/*/*.[ch] tests/unit/*/*.[ch])
sh_files := $(wildcard .ci/run tests/*.t tests/faults/*.t \
	$(addsuffix /*.sh,tests tests/faults examples libexec bench))
pages := $(wildcard man/*.[1-8])
schemas := $(wildcard man/schema/*.json)
completions := $(wildcard completions/*)
texts := README NEWS CONTRIBUTING Makefile lib/README tests/packages \
	tests/questions $(c_files) $(sh_files) $(pages) $(schemas) \
	$(completions) \
	$(wildcard examples/*)

# Each by itself, so that "make -k lint" tells all there is.
lints := lint-layout lint-gcc lint-clang lint-cppcheck lint-scripts \
	lint-pages lint-spelling
lint: $(lints)
$(lints): deps-lint

lint-layout:
	@echo clang-format
	@clang-format --dry-run -Werror $(c_files)

lint-gcc:
	@$(MAKE) --no-print-directory build=build/$@ CC=gcc WERROR=-Werror \
		objects

# Its warnings need no code, as some of gcc's do.
lint-clang:
	@$(MAKE) --no-print-directory build=build/$@ CC=clang \
		WERROR='-Werror -fsyntax-only' objects

lint-cppcheck:
	cppcheck -j $(JOBS) --quiet --std=c11 --language=c --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr \
		-D_GNU_SOURCE -Ilib bin lib libexec tests

lint-scripts:
	@echo shellcheck
	@shellcheck $(sh_files)

lint-pages:
	mandoc -Tlint -Wwarning $(pages)

lint-spelling:
	@echo codespell
	@codespell -I tests/spelling $(texts)

# What is installed where, as MODE:FROM:DIRECTORY:NAME.  The directory is the
# variable that has it: it may have blanks in it.
name = $(notdir $(1))
bash := $(wildcard completions/stfm-*.bash)
bash_shared := $(wildcard completions/stfm.bash)
zsh := $(filter-out %.fish,$(wildcard completions/_*))
fish := $(wildcard completions/stfm*.fish)
fish_shared := $(wildcard completions/__*.fish)
to_bin = $(bindir)
to_libexec = $(libexecdir)/stfm
to_man1 = $(mandir)/man1
to_man5 = $(mandir)/man5
to_man7 = $(mandir)/man7
to_schema = $(datadir)/stfm/schema
to_bash = $(datadir)/bash-completion/completions
to_zsh = $(zshdir)
to_fish = $(datadir)/fish/vendor_completions.d
to_fish_shared = $(datadir)/fish/vendor_functions.d
to_page = to_man$(subst .,,$(suffix $(1)))
installed = \
	$(foreach f,$(commands),755:$(f):to_bin:$(call name,$(f))) \
	$(foreach f,$(helpers) $(probes),\
		755:$(f):to_libexec:$(call name,$(f))) \
	$(foreach f,$(pages),644:$(f):$(call to_page,$(f)):$(call name,$(f))) \
	$(foreach f,$(schemas),644:$(f):to_schema:$(call name,$(f))) \
	$(foreach f,$(bash),644:$(f):to_bash:$(basename $(call name,$(f)))) \
	$(foreach f,$(zsh),644:$(f):to_zsh:$(call name,$(f))) \
	$(foreach f,$(bash_shared),644:$(f):to_bash:$(call name,$(f))) \
	$(foreach f,$(fish),644:$(f):to_fish:$(call name,$(f))) \
	$(foreach f,$(fish_shared),644:$(f):to_fish_shared:$(call name,$(f)))
mode = $(word 1,$(subst :, ,$(1)))
from = $(word 2,$(subst :, ,$(1)))
quoted = '$(subst ','\'',$(1))'
to = $(call quoted,$(DESTDIR)$($(word 3,$(subst :, ,$(1))))/$(word 4,\
	$(subst :, ,$(1))))
define newline


endef

# Without what only debuggers read.
STRIP ?= strip
install-strip: stripped = -s --strip-program=$(call quoted,$(STRIP))
bare = $(if $(filter $(commands) $(helpers),$(call from,$(1))),$(stripped))
install install-strip: all
	$(foreach i,$(installed),$(INSTALL) -D -m $(call mode,$(i)) \
		$(call bare,$(i)) $(call from,$(i)) $(call to,$(i))$(newline))

# The modulefile is of no use without the rest.
uninstall:
	$(foreach i,$(installed),rm -f $(call to,$(i))$(newline))
	-rmdir $(call quoted,$(DESTDIR)$(to_libexec))
	-rmdir $(call quoted,$(DESTDIR)$(to_schema)) \
		$(call quoted,$(DESTDIR)$(datadir)/stfm)
	rm -f $(call quoted,$(modulefile))
	@! test -d $(module_of) || rmdir --ignore-fail-on-non-empty $(module_of)

# For Environment Modules and Lmod.
version = $(shell sed -n 's/^.define STFM_VERSION "\(.*\)"/\1/p' \
	lib/base/version.h)
moduledir ?= $(datadir)/modulefiles
modulefile = $(DESTDIR)$(moduledir)/stfm/$(version)
module_of = $(call quoted,$(DESTDIR)$(moduledir)/stfm)
install-module:
	@mkdir -p $(module_of)
	sed $(call quoted,s|@prefix@|$(prefix)|; s|@version@|$(version)|) \
		.packaging/modulefile >$(call quoted,$(modulefile))

# What is in the tree, as a tarball that is always the same.
release = stfm-$(version)
tarball = build/dist/$(release).tar.gz
tree = $(if $(wildcard .git),$(shell git ls-files),\
	$(shell find . -path ./build -prune -o -type f -printf '%P\n' | \
		grep -vxE '(bin|libexec)/stfm(-[a-z]*)?'))
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
dist:
	@mkdir -p $(dir $(tarball))
	@tar -c --sort=name --owner=0 --group=0 --numeric-owner \
		--mode=go=rX,u+rw --mtime=@$(SOURCE_DATE_EPOCH) \
		--transform='s|^|$(release)/|' \
		$(sort $(tree)) >$(tarball:.gz=)
	@gzip -9nf $(tarball:.gz=)
	@echo $(tarball)

# Packages of it, below build/; what they need must be installed.
distcheck: dist
	@tests/distcheck.sh $(tarball) build/distcheck

deb: dist
	@rm -rf build/deb
	@mkdir -p build/deb
	@tar -xzf $(tarball) -C build/deb
	@cp $(tarball) build/deb/stfm_$(version).orig.tar.gz
	@cp -R build/deb/$(release)/.packaging/debian build/deb/$(release)
	cd build/deb/$(release) && env -u MAKEFLAGS -u MAKELEVEL \
		dpkg-buildpackage -us -uc $(DEB_FLAGS)
	@ls build/deb/*.deb

# What Debian's checker has to say of it, which must be nothing.
lintian:
	@tests/deps.sh deb
	$(MAKE) --no-print-directory deb DEB_FLAGS=-b
	@lintian -I --fail-on error,warning,info build/deb/*.changes

# The package on a fresh system; as root.
debcheck:
	@tests/deps.sh deb
	$(MAKE) --no-print-directory deb DEB_FLAGS=-b
	@tests/debcheck.sh build/deb/stfm_$(version)-*.deb build/chroot

# --nodeps where rpm does not manage what is installed.
rpm: dist
	@rm -rf build/rpm
	@mkdir -p build/rpm/SOURCES
	@cp $(tarball) build/rpm/SOURCES
	env -u MAKEFLAGS -u MAKELEVEL rpmbuild -ba $(RPM_FLAGS) \
		--define '_topdir $(CURDIR)/build/rpm' .packaging/stfm.spec
	@ls build/rpm/RPMS/*/*.rpm

# What needs no Slurm and is done within seconds, for those who build packages.
quick := $(filter-out $(slurm_units),$(unit_tests)) \
	tests/stfm-expand.t tests/help.t
quick: all unit
	@$(PROVE) -j$(JOBS) $(quick)

clean:
	rm -rf build $(commands) $(helpers)

FORCE:
.PHONY: all help bench scale bench-search bench-search-real unit objects deps \
	deps-bench deps-examples deps-lint demo tour check trouble compat \
	compat-units concurrent faults fault-tools mutants check-sanitize \
	lint $(lints) install install-strip uninstall install-module dist \
	distcheck deb lintian debcheck rpm quick clean FORCE
.SECONDARY:
-include $(objects:.o=.d)
