#!/bin/sh
# The folders of lib/ use lower layers only, and only what is public there.
. "$(dirname "$0")/tap.sh"

# Libraries of others, and the one folder or file that includes their headers.
owners='
jansson lib/store/
csv lib/sys/csv
slurm lib/slurm/
cmocka none
'

cd "$top" || exit 99
objects=build/plain
[ -z "$SANITIZE" ] || objects=build/sanitize
for file in lib/*/*.c bin/*.c libexec/*.c; do
	echo "$objects/${file%.c}.o"
done | xargs nm -A | sed "s|^$objects/||" >"$tap_dir/all-symbols"
grep ^lib/ "$tap_dir/all-symbols" >"$tap_dir/symbols"

# "folder layer" for each folder.
awk '!/^#/ { n++; for (i = 1; i <= NF; i++) print $i, n }' \
	lib/LAYERS >"$tap_dir/layers"

# "file header" for each #include in quotes.
includes() {
	grep -HE '^[ 	]*#[ 	]*include[ 	]*"' "$@" |
		sed -E 's/^([^:]*):[^"]*"([^"]*)".*/\1 \2/'
}
includes lib/*/*.[ch] >"$tap_dir/includes"
includes bin/*.c libexec/*.c tests/*.c tests/fuzz/*.c tests/nfs/*.c \
	tests/unit/*/*.c | grep -E ' [a-z]+/[a-z0-9-]+\.h$' |
	cat "$tap_dir/includes" - >"$tap_dir/all"

folders_without_layer() {
	for folder in lib/*/; do
		folder=$(basename "$folder")
		grep -q "^$folder " "$tap_dir/layers" || echo "$folder"
		[ -s "lib/$folder/PUBLIC" ] || echo "$folder/PUBLIC"
	done
	while read -r folder _; do
		[ -d "lib/$folder" ] || echo "$folder"
	done <"$tap_dir/layers"
	find lib -mindepth 3 -name '*.[ch]'
}

# Pairs of "file header" that go to the same layer or a higher one.
upward() {
	awk '
	FILENAME ~ /layers$/ { layer[$1] = $2; next }
	{
		split($1, from, "/")
		split($2, to, "/")
		if (from[2] != to[1] && layer[to[1]] >= layer[from[2]])
			print $1, $2
	}' "$tap_dir/layers" "$tap_dir/includes" | sort
}

# "folder/header" for each line of each PUBLIC.
for public in lib/*/PUBLIC; do
	sed "s|^|$(basename "$(dirname "$public")")/|" "$public"
done >"$tap_dir/public"

# Headers that no PUBLIC names, and are included from outside their folder.
# A test may include those of the folder that it tests.
private() {
	awk '
	FNR == NR { public[$1] = 1; next }
	{
		split($2, to, "/")
		n = split($1, from, "/")
		if (from[n - 1] != to[1] && !($2 in public))
			print $1, $2
	}' "$tap_dir/public" "$tap_dir/all"
}

# Names in a PUBLIC that nobody outside the folder includes.
unused() {
	awk '
	FILENAME ~ /public$/ { public[$1] = 1; next }
	{
		split($2, to, "/")
		if ($1 !~ "^(lib|tests/unit)/" to[1] "/")
			used[$2] = 1
	}
	END { for (header in public) if (!(header in used)) print header }
	' "$tap_dir/public" "$tap_dir/all" | sort
}

# Headers of the project are included by their folder and name.
unplaced() {
	grep -v ' [a-z]*/[a-z0-9-]*\.h$' "$tap_dir/includes"
	includes bin/*.c libexec/*.c tests/*.c tests/fuzz/*.c tests/nfs/*.c \
		tests/unit/*.[ch] tests/unit/*/*.c | grep ' .*lib/'
	grep -HE '^[ 	]*#[ 	]*include[ 	]+[^"<]' lib/*/*.[ch] bin/*.c \
		libexec/*.c tests/*.c tests/*/*.c tests/unit/*/*.c
}

# "file symbol file" for each call from one file of lib/ to another.
calls() {
	awk '
	{
		file = $1
		sub(/:.*/, "", file)
		name = $NF
		kind = $(NF - 1)
	}
	kind ~ /^[TDBRCV]$/ && !(FNR == NR) { next }
	FNR == NR { if (kind ~ /^[TDBRCV]$/) home[name] = file; next }
	kind == "U" && name in home && home[name] != file {
		print file, name, home[name]
	}' "$tap_dir/symbols" "$tap_dir/symbols"
}
calls >"$tap_dir/calls"

# Calls of functions of another folder that no header of it, which the file
# includes, names.
undeclared() {
	while read -r file name to; do
		echo "${file%.o} $name ${to#lib/}"
	done <"$tap_dir/calls" | awk -v objects="$objects" '
	function names(header, name,  line, n, i, word) {
		if (!(header in known)) {
			known[header] = 1
			while ((getline line <header) > 0) {
				n = split(line, word, /[^A-Za-z0-9_]+/)
				for (i = 1; i <= n; i++)
					has[header, word[i]] = 1
			}
			close(header)
		}
		return (header, name) in has
	}
	{
		split($1, from, "/")
		split($3, to, "/")
		if (from[2] == to[1])
			next
		if (!($1 in read)) {
			read[$1] = 1
			file = objects "/" $1 ".d"
			while ((getline line <file) > 0)
				text[$1] = text[$1] " " line
			close(file)
		}
		n = split(text[$1], header, /[ \\:]+/)
		for (i = 1; i <= n; i++)
			if (index(header[i], "lib/" to[1] "/") == 1 &&
			    names(header[i], $2))
				next
		print $1, $2
	}'
}

# "folder: file..." for files of a folder that call each other in a circle.
circles() {
	awk '
	{
		split($1, from, "/")
		split($3, to, "/")
		if (from[2] != to[2])
			next
		folder[$1] = from[2]
		calls[$1, $3] = 1
		files[$1] = files[$3] = 1
		folder[$3] = to[2]
	}
	END {
		for (k in files)
			for (i in files)
				if (folder[i] == folder[k] && (i, k) in calls)
					for (j in files)
						if ((k, j) in calls)
							calls[i, j] = 1
		for (i in files)
			if ((i, i) in calls)
				print i
	}' "$tap_dir/calls" | sed -E 's|lib/([^/]*)/(.*)\.o|\1 \2|' | sort |
		awk '
		$1 != last { printf "%s%s:", (NR > 1 ? "\n" : ""), $1 }
		{ printf " %s", $2; last = $1 }
		END { if (NR) print "" }'
}

foreign() {
	grep -HE '^[ 	]*#[ 	]*include <' lib/*/*.[ch] bin/*.c libexec/*.c |
		sed -E 's/^([^:]*):[^<]*<([^>]*)>.*/\1 \2/' >"$tap_dir/foreign"
	printf '%s\n' "$owners" | while read -r library owner; do
		[ -n "$library" ] || continue
		grep -E " $library(\.h|/|_)" "$tap_dir/foreign" |
			grep -v "^$owner"
	done
}

versions() {
	grep -l SLURM_VERSION_NUMBER bin/*.c lib/*/* libexec/*.c |
		grep -v '^lib/slurm/[-a-z]*\.h$'
}

# Folders that lib/README does not explain, and files in it that do not exist.
unexplained() {
	for folder in lib/*/; do
		grep -q "^  $(basename "$folder")  *[^ ]" lib/README ||
			echo "$folder"
	done
	grep -oE '[a-z]+/[a-z-]+\.[ch]' lib/README | while read -r file; do
		[ -e "lib/$file" ] || echo "$file"
	done
}

# The number of functions of lib/ that another folder uses.
abroad() {
	awk '
	{
		split($1, part, "/")
		folder = part[1] == "lib" ? part[2] : part[1]
		name = $NF
		kind = $(NF - 1)
	}
	FNR == NR { if (kind == "T" && part[1] == "lib") home[name] = folder }
	FNR != NR && kind == "U" && name in home && home[name] != folder {
		used[name] = 1
	}
	END { for (name in used) n++; print n + 0 }
	' "$tap_dir/all-symbols" "$tap_dir/all-symbols"
}

# Headers that so many files or more include; those of base, sys and term are
# for everybody.
crowded() {
	includes lib/*/*.[ch] bin/*.c libexec/*.c | cut -d' ' -f2 |
		grep -vE '^(base|sys|term)/' | sort | uniq -c |
		awk -v most="$1" '$1 >= most { print $2 ": " $1 }'
}

# Commands that need no Slurm do not load its library.
loads_slurm() {
	for command in stfm-expand stfm-log stfm-plot stfm-status; do
		ldd "$bin/$command" | grep libslurm | sed "s/^/$command/"
	done
}

is "every folder of lib/ has a layer and a PUBLIC" \
	"" "$(folders_without_layer)"
is "headers are included by folder and name" "" "$(unplaced)"
is "a folder includes lower layers only" "" "$(upward)"
is "nobody includes a private header of another folder" "" "$(private)"
is "every public header is used outside of its folder" "" "$(unused)"
ok "there are calls to look at" test "$(wc -l <"$tap_dir/calls")" -gt 1000
is "each call into a folder goes with a header of it" "" "$(undeclared)"
is "files of a folder do not call each other in a circle" \
	"" "$(circles)"
is "each foreign library is included by its own folder alone" \
	"" "$(foreign)"
is "SLURM_VERSION_NUMBER is in the headers of lib/slurm only" "" "$(versions)"
is "one header tells the releases of Slurm apart" "" \
	"$(grep -l SLURM_VERSION_NUMBER lib/*/*.h | sed 1d)"
is "lib/README explains each folder, by files that are there" \
	"" "$(unexplained)"
ok "lib/ has fewer than 330 files" test "$(ls lib/*/*.c | wc -l)" -lt 330
functions=$(abroad)
ok "there are functions that other folders use" test "$functions" -gt 500
ok "they are fewer than 1160, now $functions" test "$functions" -lt 1160
is "no header is included by 60 files" "" "$(crowded 60)"
ok "some are included by 50" test -n "$(crowded 50)"
is "commands without Slurm do not load libslurm" "" "$(loads_slurm)"

done_testing
