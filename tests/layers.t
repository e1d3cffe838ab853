#!/bin/sh
# A module includes lower layers only, and each dependency has one module.
. "$(dirname "$0")/tap.sh"

# A module is the part of a file's name before the first "-"; its files may
# include each other.  Layer 1 is free among itself; bin/ and libexec/ lie
# above all.
layers='
4 job sandbox nodes
3 store queue plot snapshot config
2 space metrics chart table cluster sbatch dist usage calendar
1 xalloc error num ranges words text fs proc secret cli rows lex where version
1 ascii daemon flow ports live lines record progress hosts resource
'

# Headers of other people's libraries, and the module that may include them.
owners='
jansson store
csv rows
slurm queue
cmocka none
'

cd "$top" || exit 99

# The table as "module layer" lines.
flat() {
	printf '%s\n' "$layers" |
		awk '{ for (i = 2; i <= NF; i++) print $i, $1 }'
}

# "file header" for each #include; the header without its directory.
includes() {
	grep -HE '^[ 	]*#[ 	]*include' lib/*.[ch] bin/*.c libexec/*.c |
		sed -E 's/^([^:]*):[^<"]*[<"]([^>"]*)[>"].*/\1 \2/'
}

unknown() {
	for file in lib/*.[ch]; do
		module=${file#lib/}
		module=${module%.[ch]}
		flat | grep -q "^${module%%-*} " || echo "$file"
	done
}

upward() {
	{
		flat
		echo --
		includes
	} | awk '
	function module(file) {
		sub(/.*\//, "", file)
		sub(/[-.].*/, "", file)
		return file
	}
	/^--/ { pairs = 1; next }
	!pairs { layer[$1] = $2; next }
	$1 ~ /^lib\// && module($2) in layer {
		a = module($1)
		b = module($2)
		if (a != b && layer[b] >= layer[a] && layer[b] != 1)
			print $1, "includes", $2
	}'
}

foreign() {
	printf '%s\n' "$owners" | while read -r library owner; do
		[ -n "$library" ] || continue
		includes | grep -E " (.*/)?$library(\.h|/|_)" |
			grep -v "^lib/${owner}[-.]"
	done
}

versions() {
	grep -l SLURM_VERSION_NUMBER bin/*.c lib/* libexec/*.c |
		grep -v '^lib/queue[-a-z]*\.h$'
}

# Commands that need no Slurm do not load its library.
loads_slurm() {
	for command in stfm-expand stfm-log stfm-plot stfm-status; do
		ldd "$bin/$command" | grep libslurm | sed "s/^/$command/"
	done
}

is "every module of lib/ is in the table of layers" "" "$(unknown)"
is "modules include lower layers only" "" "$(upward)"
is "each foreign library is included by its own module alone" \
	"" "$(foreign)"
is "SLURM_VERSION_NUMBER is beside the queue only" "" "$(versions)"
is "releases of Slurm are told apart in one header" "" \
	"$(grep -l SLURM_VERSION_NUMBER lib/*.h | sed 1d)"
is "commands without Slurm do not load libslurm" "" "$(loads_slurm)"

done_testing
