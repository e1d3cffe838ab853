# stfm: train neural networks under Slurm, from the shell.
#
#	make		build bin/ and libexec/ in place
#	make demo	show the main job on a private Slurm
#	make check	run all tests; TESTS='tests/help.t' runs some
#	make lint	check layout, pages, scripts; warnings are errors
#	make deps	install what is missing from the distribution's packages
#	make install	DESTDIR and prefix are honoured; so does uninstall
#	make check-sanitize	the tests once more under ASan and UBSan

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec
mandir ?= $(prefix)/share/man
datadir ?= $(prefix)/share

PKG_CONFIG ?= pkg-config
INSTALL ?= install
PROVE ?= prove
CFLAGS ?= -O2 -g
CSV_LIBS ?= -lcsv
SLURM_LIBS ?= -lslurm
JANSSON_LIBS ?= $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null || echo -ljansson)
CMOCKA_LIBS ?= $(shell $(PKG_CONFIG) --libs cmocka 2>/dev/null || echo -lcmocka)
# What runs on the compute nodes needs nothing installed there.
STATIC ?= -static
# How many tests run at once; most of their time is spent waiting.
JOBS ?= 4

# SANITIZE=1 builds with ASan and UBSan, apart from the ordinary build: there
# the programs live below $(build), otherwise they are built in place.
ifdef SANITIZE
build := build/sanitize
place := $(build)/
static := -pie
harden := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
else
build := build/plain
place :=
static := $(STATIC)
# Fortified functions exist only in optimised code.
harden := $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),\
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif

cppflags = -D_GNU_SOURCE -Ilib $(CPPFLAGS)
cflags = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wformat=2 -Wno-missing-field-initializers \
	-fstack-protector-strong -fPIE $(harden) $(CFLAGS)
ldflags = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)
libs = $(CSV_LIBS) $(JANSSON_LIBS) -lm

lib_o := $(patsubst %.c,$(build)/%.o,$(wildcard lib/*.c))
lib_a := $(build)/libstfm.a
commands := $(patsubst %.c,$(place)%,$(wildcard bin/*.c))
helpers := $(patsubst %.c,$(place)%,$(wildcard libexec/*.c))
unit_tests := $(patsubst %.c,$(build)/%,$(wildcard tests/*-test.c))
objects := $(lib_o) $(patsubst %.c,$(build)/%.o,$(wildcard bin/*.c \
	libexec/*.c tests/*-test.c))

all: $(commands) $(helpers)
unit: $(unit_tests)
objects: $(objects)

# Other flags, another build: this file changes only when they do.
flags = $(CC) $(cppflags) $(cflags)
$(build)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(flags))' | cmp -s - $@ || \
		echo '$(subst ','\'',$(flags))' >$@

$(build)/%.o: %.c $(build)/flags
	@mkdir -p $(@D)
	$(CC) $(cppflags) $(cflags) $(WERROR) -MMD -MP -c -o $@ $<

$(lib_a): $(lib_o)
	@rm -f $@
	$(AR) rcs $@ $^

$(commands): $(place)bin/%: $(build)/bin/%.o $(lib_a)
	@mkdir -p $(@D)
	$(CC) $(cflags) $(ldflags) -o $@ $< $(lib_a) $(libs) $(SLURM_LIBS)

$(helpers): $(place)libexec/%: $(build)/libexec/%.o $(lib_a)
	@mkdir -p $(@D)
	$(CC) $(cflags) $(static) $(LDFLAGS) -o $@ $< $(lib_a) $(libs)

$(unit_tests): $(build)/tests/%-test: $(build)/tests/%-test.o $(lib_a)
	$(CC) $(cflags) $(ldflags) -o $@ $< $(lib_a) $(libs) $(SLURM_LIBS) \
		$(CMOCKA_LIBS)

deps:
	@tests/deps.sh check

deps-lint: deps
	@tests/deps.sh lint

demo: deps
	@$(MAKE) --no-print-directory all
	@examples/demo.sh

# The tests with a Slurm of their own take longest, so they begin first.
slow_tests := $(wildcard tests/slurm-*.t)
TESTS ?= $(slow_tests) \
	$(filter-out $(slow_tests),$(wildcard tests/*.t)) $(unit_tests)

check: deps
	@$(MAKE) --no-print-directory all unit
	@CMOCKA_MESSAGE_OUTPUT=TAP $(PROVE) -j$(JOBS) $(TESTS)

# A sanitizer's finding has an exit status that no command has.
check-sanitize: deps
	@$(MAKE) --no-print-directory SANITIZE=1 all unit
	@SANITIZE=1 STFM_BIN_DIR=build/sanitize/bin \
		ASAN_OPTIONS=exitcode=99:detect_stack_use_after_return=1 \
		LSAN_OPTIONS=exitcode=99 \
		UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 \
		CMOCKA_MESSAGE_OUTPUT=TAP $(PROVE) -j$(JOBS) \
		$(subst build/plain/,build/sanitize/,$(TESTS))

c_files := $(wildcard bin/*.[ch] lib/*.[ch] libexec/*.[ch] tests/*.[ch])
sh_files := .ci/run $(wildcard tests/*.sh tests/*.t examples/*.sh \
	libexec/*.sh bench/*.sh)
pages := $(wildcard man/*.[1-8])
completions := $(wildcard completions/*)
texts := README NEWS CONTRIBUTING Makefile tests/packages \
	$(c_files) $(sh_files) $(pages) $(completions) $(wildcard examples/*)

lint: deps-lint
	clang-format --dry-run -Werror $(c_files)
	@$(MAKE) --no-print-directory build=build/lint-gcc CC=gcc \
		WERROR=-Werror objects
	@$(MAKE) --no-print-directory build=build/lint-clang CC=clang \
		WERROR=-Werror objects
	cppcheck --quiet --std=c11 --language=c --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr \
		-D_GNU_SOURCE -Ilib bin lib libexec tests
	shellcheck $(sh_files)
	mandoc -Tlint -Wwarning $(pages)
	codespell $(texts)

# install-file MODE, FROM, TO
define install-file
	$(INSTALL) -D -m $(1) $(2) $(DESTDIR)$(3)

endef
completed := $(patsubst completions/%.bash,%,$(wildcard completions/*.bash))
# Pairs FROM:TO of what is installed beside the programs.
installed_data = \
	$(foreach p,$(pages),$(p):$(mandir)/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	$(foreach c,$(completed),\
	completions/$(c).bash:$(datadir)/bash-completion/completions/$(c) \
	completions/_$(c):$(datadir)/zsh/site-functions/_$(c) \
	completions/$(c).fish:$(datadir)/fish/vendor_completions.d/$(c).fish)
from = $(firstword $(subst :, ,$(1)))
to = $(lastword $(subst :, ,$(1)))

install: all
	$(foreach c,$(commands),$(call install-file,755,$(c),$(bindir)/$(notdir $(c))))
	$(foreach h,$(helpers),$(call install-file,755,$(h),$(libexecdir)/stfm/$(notdir $(h))))
	$(foreach d,$(installed_data),$(call install-file,644,$(call from,$(d)),$(call to,$(d))))

uninstall:
	rm -f $(foreach c,$(commands),$(DESTDIR)$(bindir)/$(notdir $(c))) \
		$(foreach h,$(helpers),$(DESTDIR)$(libexecdir)/stfm/$(notdir $(h))) \
		$(foreach d,$(installed_data),$(DESTDIR)$(call to,$(d)))
	-rmdir $(DESTDIR)$(libexecdir)/stfm

clean:
	rm -rf build $(commands) $(helpers)

FORCE:
.PHONY: all unit objects deps deps-lint demo check check-sanitize lint \
	install uninstall clean FORCE
.SECONDARY:
-include $(objects:.o=.d)
