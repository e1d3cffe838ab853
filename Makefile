# stfm: train neural networks under Slurm, from the shell.
#
#	make demo	show the main job on a private Slurm
#	make check	run all tests
#	make lint	check layout, pages, scripts; warnings are errors
#	make deps	install what is missing from the distribution's packages
#	make install	DESTDIR and prefix are honoured

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec
mandir ?= $(prefix)/share/man
datadir ?= $(prefix)/share

PKG_CONFIG ?= pkg-config
CC ?= cc
CFLAGS ?= -O2 -g
CSV_LIBS ?= -lcsv
SLURM_LIBS ?= -lslurm
JANSSON_LIBS ?= $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null || echo -ljansson)
CMOCKA_LIBS ?= $(shell $(PKG_CONFIG) --libs cmocka 2>/dev/null || echo -lcmocka)

# SANITIZE=1 builds with ASan and UBSan, apart from the ordinary build.
ifdef SANITIZE
build := build/sanitize
san := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else
build := build/plain
san :=
endif

override CPPFLAGS += -D_GNU_SOURCE -Ilib
override CFLAGS += -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wformat=2 -Wno-missing-field-initializers \
	-fstack-protector-strong -fPIE $(san) $(WERROR)
override LDFLAGS += -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(san)
ifndef SANITIZE
override CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif

lib_c := $(wildcard lib/*.c)
lib_o := $(lib_c:%.c=$(build)/%.o)
lib_a := $(build)/libstfm.a
commands := $(patsubst bin/%.c,%,$(wildcard bin/*.c))
helpers := $(patsubst libexec/%.c,%,$(wildcard libexec/*.c))
unit_tests := $(patsubst tests/%.c,$(build)/tests/%,$(wildcard tests/*-test.c))
programs := $(commands:%=bin/%) $(helpers:%=libexec/%)

all: $(programs)

# The programs are built in place; with SANITIZE they live below build/.
ifdef SANITIZE
programs := $(commands:%=$(build)/bin/%) $(helpers:%=$(build)/libexec/%)
all: $(programs)
endif

$(build)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(lib_a): $(lib_o)
	@rm -f $@
	$(AR) rcs $@ $^

libs := $(CSV_LIBS) $(JANSSON_LIBS) -lm

bin/% $(build)/bin/%: $(build)/bin/%.o $(lib_a)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(lib_a) $(libs) $(SLURM_LIBS)

# What runs on the compute nodes needs nothing installed there.
libexec/%: $(build)/libexec/%.o $(lib_a)
	$(CC) $(CFLAGS) -static -o $@ $< $(lib_a) $(libs)

$(build)/libexec/%: $(build)/libexec/%.o $(lib_a)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(lib_a) $(libs)

$(build)/tests/%-test: $(build)/tests/%-test.o $(lib_a)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(lib_a) $(libs) $(SLURM_LIBS) $(CMOCKA_LIBS)

unit: $(unit_tests)

clean:
	rm -rf build $(commands:%=bin/%) $(helpers:%=libexec/%)

.PHONY: all unit clean
.SECONDARY:
-include $(shell find build -name '*.d' 2>/dev/null)
