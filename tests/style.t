#!/bin/sh
# What clang-format and the compilers do not see.
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 99

c_files=$(ls bin/*.c lib/*/*.[ch] libexec/*.c bench/*.c tests/*.c \
	tests/*/*.[ch] tests/unit/*/*.[ch])
ours=$(ls bin/*.c lib/*/*.[ch] libexec/*.c)
scripts=$(ls tests/*.sh tests/*.t examples/*.sh .ci/run)
texts=$(ls README NEWS CONTRIBUTING Makefile lib/README tests/packages \
	tests/questions man/*.[1-8])

# Lines of C without comments, as "file:line: text".
code() {
	${CC:-cc} -fpreprocessed -dD -E "$@" 2>/dev/null | awk '
		/^# [0-9]+ "[^<]/ { file = $3; gsub(/"/, "", file) }
		/^# [0-9]+ / { line = $2; next }
		{ print file ":" line++ ": " $0 }'
}

# A page writes "~" as four characters; its comments name whole paths.
wide() {
	perl -CSD -ne '
		s/\\\(ti/~/g;
		1 while s/\t/" " x (8 - $-[0] % 8)/e;
		print "$ARGV:$.\n" if /.{81}/ && !/^\.\\"/;
		close ARGV if eof' "$@"
}

# Functions of more than so many lines.
long() {
	most=$1
	shift
	awk -v most="$most" '
	FNR == 1 { begin = 0 }
	/^[a-z_A-Z].*\(/ { name = $0; sub(/\(.*/, "", name) }
	/^{$/ { begin = FNR }
	/^}$/ && begin {
		lines = FNR - begin + 1
		if (lines > most)
			print FILENAME ": " name ": " lines " lines"
		begin = 0
	}' "$@"
}

# Where the code has changed below a mutant.
stale_mutants() {
	for file in tests/faults/mutants/*.patch; do
		patch -s --dry-run -F0 -p1 <"$file" >/dev/null || echo "$file"
	done
}

# Names of functions, variables and constants that are in a comment of a file
# called like $1, but in the code of no file.  Names have a "_"; $2 are others.
unknown_names() {
	perl -0777 -e '
		my ($ours, %known, %place) = shift;
		$known{$_} = 1 for split " ", shift;
		my $name = qr/\b(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|
			[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/x;
		for (@ARGV) {
			open my $file, "<", $_ or die "$_: $!\n";
			my @part = split m{(/\*.*?\*/)}s, <$file>;
			my ($line, $is_ours) = (1, scalar m{$ours});
			for my $i (0 .. $#part) {
				while ($part[$i] =~ /($name)|\n/g) {
					$line++, next unless defined $1;
					$known{$1} = 1 if $i % 2 == 0;
					$place{$1} //= "$_:$line"
					    if $i % 2 && $is_ours;
				}
			}
		}
		$known{$_} or print "$place{$_}: $_\n" for sort keys %place
	' "$@"
}

# A call of one of these functions, not of a longer name or a member.
call_of() {
	printf '[^a-z_A-Z0-9>.](%s) *\\(' "$1"
}
unsafe='v?sprintf|strcpy|strcat|strtok|system|popen|ato[ilf]|gets'
talk='v?printf|puts|putchar|perror|exit|errx?|warnx?'

# shellcheck disable=SC2086 # lists of files
{
	code $ours >"$tap_dir/code"
	is "no line is wider than 80 columns" \
		"" "$(wide $c_files $scripts $texts)"
	is "no line ends in a blank" "" \
		"$(grep -nE '[ 	]+$' $c_files $scripts $texts)"
	is "C is indented with tabs" "" "$(grep -nE '^ {8}' $c_files)"
	is "no function is longer than 60 lines" "" "$(long 60 $ours)"
	is "nothing is left to do" "" \
		"$(grep -nwE 'TO''DO|FIX''ME|XX''X' \
			$c_files $scripts $texts)"
}
is "nobody calls what cannot be called safely" "" \
	"$(grep -E "$(call_of "$unsafe")" "$tap_dir/code")"
is "the library does not print, nor exit" "" \
	"$(grep '^lib/' "$tap_dir/code" |
		grep -vE '^lib/(term/cli|base/xalloc)\.c:' |
		grep -E "$(call_of "$talk")|[^a-z_]std(out|err)[^a-z_]")"
is "the locale does not change how numbers are written" "" \
	"$(grep -E 'LC_(NUMERIC|ALL)([^=]|$)' "$tap_dir/code")"
case_of='strn?casecmp|strcasestr|to(lower|upper)'
is "the locale does not change what a letter is" "" \
	"$(grep -E "$(call_of "$case_of")" "$tap_dir/code")"
other_words='
ARRAY_INDEX DB_PASSWORD LC_NUMERIC STFM_PARAM STUDY_TRIAL
max_tokens mean_s metric_best n2000_1234567 n_s param_param_x param_x root_1
tensor_content
'
# shellcheck disable=SC2086 # lists of files
is "comments name functions and constants that exist" "" \
	"$(unknown_names '^(lib|bin|libexec)/' "$other_words" $c_files)"
is "each mutant's patch applies" "" "$(stale_mutants)"

is "the news of a release are twenty points at most" "" "$(awk '
	/^[0-9]/ { release = $1; points = 0 }
	/^- / && ++points == 21 { print release }' "$top/NEWS")"

done_testing
