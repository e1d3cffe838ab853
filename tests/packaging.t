#!/bin/sh
# The tarball and the recipes of packages, as far as it takes seconds;
# "make distcheck" and "make deb" do the rest.
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 99
recipes=.packaging
version=$(sed -n 's/^#define STFM_VERSION "\(.*\)"/\1/p' lib/base/version.h)

is "the Debian package has the version" "$version" \
	"$(sed -n '1s/.*(\(.*\)-.*/\1/p' $recipes/debian/changelog)"
is "the RPM has the version" "$version" \
	"$(sed -n 's/^Version: *//p' $recipes/stfm.spec)"
is "and so has the last line of its changes" "$version" \
	"$(sed -n '/^%changelog/{n;s/.* - \(.*\)-.*/\1/p}' $recipes/stfm.spec)"

# What EasyBuild calls a file says what is in it.
eb_file() {
	sed -n "s/^name = '\(.*\)'/\1/p; s/^version = '\(.*\)'/-\1/p
		s/^toolchain = //
		s/^{'name': '\(.*\)', 'version': '\(.*\)'}/-\1-\2/p
		" "$1" | tr -d '\n'
	echo .eb
}
for recipe in "$recipes"/easybuild/*.eb; do
	is "EasyBuild finds ${recipe##*/} by its name" "${recipe##*/}" \
		"$(eb_file "$recipe")"
done
toolchain=$(basename "$(eb_file $recipes/easybuild/stfm-*.eb)" .eb)
toolchain=${toolchain#"stfm-$version-"}
like "its recipe has the version" "^GCCcore-[0-9.]*$" "$toolchain"

# Each library has other names elsewhere; a dash where the system or nobody has
# to have it.
cat >"$tap_dir/libraries" <<'END'
jansson.h     libjansson-dev jansson-devel   Jansson jansson
csv.h         libcsv-dev     libcsv-devel    libcsv  libcsv
slurm/slurm.h libslurm-dev   slurm-devel     -       slurm
cmocka.h      libcmocka-dev  libcmocka-devel -       -
END
is "all libraries that are built with have their names here" \
	"$(awk '{ print $1, $2 }' "$tap_dir/libraries" | sort)" \
	"$(awk '$1 == "check" && $3 ~ /[.]h$/ && $3 != "stdlib.h" {
		print $3, $2 }' tests/packages | sort)"

# The names in one column, and those that a recipe asks for.
names() {
	awk -v n="$1" '$n != "-" { print $n }' "$tap_dir/libraries" | sort
}
is "Debian's package asks for them" "$(names 2)" \
	"$(sed -n '/^Build-Depends/,/^[^ B]/s/^ \(lib[^ ,]*\).*/\1/p' \
		$recipes/debian/control | sort)"
is "the RPM" "$(names 3)" \
	"$(sed -n 's/^BuildRequires: *\(.*-devel\)$/\1/p' $recipes/stfm.spec |
		sort)"
is "EasyBuild" "$(names 4)" \
	"$(sed -n "/^dependencies/,/^]/s/^ *('\([^']*\)'.*/\1/p" \
		$recipes/easybuild/stfm-*.eb | sort)"
spack=$recipes/spack/spack_repo/stfm/packages
is "Spack" "$(names 5)" \
	"$(sed -n 's/^ *depends_on("\([a-z]*\).*/\1/p' $spack/stfm/package.py |
		grep -vxE 'c|gmake|pkgconfig' | sort)"

# libcsv has a recipe of ours where others have none.
csv=$(sed -n "s/^ *('libcsv', '\(.*\)'),/\1/p" $recipes/easybuild/stfm-*.eb)
ok "EasyBuild finds the libcsv that is asked for" \
	test -r "$recipes/easybuild/libcsv-$csv-$toolchain.eb"
sum() {
	grep -oE '[0-9a-f]{64}' "$1"
}
is "which is the one of Spack" \
	"$csv $(sum "$recipes/easybuild/libcsv-$csv-$toolchain.eb")" \
	"$(sed -n 's/^ *"\([0-9.]*\)",$/\1/p' $spack/libcsv/package.py) $(sum \
		$spack/libcsv/package.py)"

# The tarball that "make dist" writes.
is "the RPM is built from it" "stfm-$version.tar.gz" \
	"$(sed -n 's/^Source0: *//p' $recipes/stfm.spec |
		sed "s/%{name}/stfm/; s/%{version}/$version/")"
like "and EasyBuild's" '^sources = \[SOURCE_TAR_GZ]$' \
	"$(cat $recipes/easybuild/stfm-*.eb)"
for recipe in "$recipes"/easybuild/*.eb "$spack"/*/package.py; do
	ok "Python reads ${recipe#"$recipes/"}" python3 -c \
		'import sys; compile(open(sys.argv[1]).read(), "it", "exec")' \
		"$recipe"
done

ok "the modulefile is written" make install-module prefix=/opt/stfm \
	DESTDIR="$tap_dir/root" moduledir=/etc/modulefiles
module=$tap_dir/root/etc/modulefiles/stfm/$version
like "with the place" "^set prefix {/opt/stfm}$" "$(cat "$module")"
like "and the version" "stfm $version:" "$(cat "$module")"
is "and no word is left" "" "$(grep @ "$module")"

mkdir "$tap_dir/tree"
cp -R Makefile lib .packaging "$tap_dir/tree"
cd "$tap_dir/tree" || exit 99
mkdir bin libexec build
touch bin/stfm-x.c bin/stfm-x build/x libexec/stfm-run README
tarball=build/dist/stfm-$version.tar.gz
is "make dist says where the tarball is" "$tarball" "$(make dist)"
first=$(cksum <"$tarball")
files=$(tar -tzf "$tarball")
like "it has the sources" "^stfm-$version/bin/stfm-x.c$" "$files"
like "and the recipes" "^stfm-$version/.packaging/debian/rules$" "$files"
is "but not what was built" "" "$(printf '%s\n' "$files" |
	grep -E '/build/|stfm-x$|stfm-run$')"
touch README
make dist >/dev/null
is "it is the same when only a time is another" "$first" "$(cksum <"$tarball")"
status "no tarball is made of files that are not all there" 2 \
	make -s dist tree=nosuch

# What is installed is not built for it: what others have built is there.
mkdir -p man/schema completions
touch man/stfm-x.1 man/stfm.7 man/schema/x.json completions/stfm-x.bash \
	completions/_stfm-x completions/stfm-x.fish completions/__stfm.fish
root="$tap_dir/a root"
install() {
	make -s -o all DESTDIR="$root" prefix="/opt/it's mine" "$@"
}
ok "it is installed where names have blanks" install install
is "all of it, in its places" "bin/stfm-x
share/bash-completion/completions/stfm-x
share/fish/vendor_completions.d/stfm-x.fish
share/fish/vendor_functions.d/__stfm.fish
share/man/man1/stfm-x.1
share/man/man7/stfm.7
share/stfm/schema/x.json
share/zsh/site-functions/_stfm-x" \
	"$(cd "$root/opt/it's mine" && find . -type f | cut -c 3- |
		LC_ALL=C sort)"
ok "with its modulefile" install install-module
like "which names the place" "^set prefix {/opt/it's mine}$" \
	"$(cat "$root/opt/it's mine/share/modulefiles/stfm/$version")"
install uninstall 2>/dev/null
is "and all of it removed again" "" \
	"$(find "$root" -type f -o -name '*stfm*')"

done_testing
