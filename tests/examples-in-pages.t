#!/bin/sh
# The EXAMPLES of the manual pages do what the pages say.
#
# In a literal display a line "$ command" is run by sh, all those of a page by
# one sh in one directory; the lines up to the next one are what it prints.
# "..." alone is any lines, and within a line any text.  A command goes on
# behind a backslash at the end of a line.
# Pages that use stfm-submit or sbatch are run with a Slurm of their own.
. "$(dirname "$0")/tap.sh"

sandbox=$tap_dir/sandbox

# The lines of the displays of EXAMPLES, without what mdoc adds.
displays() {
	awk '
	/^\.Sh / { inside = $2 == "EXAMPLES" }
	inside && /^\.Bd / { shown = 1; next }
	/^\.Ed/ { if (shown) print "$"; shown = 0 }
	shown' "$1" | sed 's/\\&//g; s/\\-/-/g; s/\\(aq/'\''/g; s/\\(dq/"/g
		s/\\(ga/`/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\e/\\/g'
}

# Write each command to $2/N.command and what it prints to $2/N.expected.
take_apart() {
	displays "$1" | awk -v to="$2" '
	more || /^\$ / {
		if (!more) {
			n++
			printf "" >(to "/" n ".expected")
		}
		line = more ? $0 : substr($0, 3)
		more = line ~ /\\$/
		print line >(to "/" n ".command")
		next
	}
	$0 == "$" { next }
	{ print >(to "/" (n + 0) ".expected") }
	END { print n + 0 >(to "/count") }'
}

# Whether the text of file $2 is that of $1, where "..." is any lines.
as_shown() {
	awk '
	function same(i, j) {
		if (i > wanted)
			return j > got
		if (want[i] == "...")
			return same(i + 1, j) || (j <= got && same(i, j + 1))
		return j <= got && alike(want[i], have[j]) && same(i + 1, j + 1)
	}
	function alike(a, b,    at, head, tail) {
		if (!(at = index(a, "...")))
			return a == b
		head = substr(a, 1, at - 1)
		if (substr(b, 1, at - 1) != head)
			return 0
		tail = substr(a, at + 3)
		for (at = length(head) + 1; at <= length(b) + 1; at++)
			if (alike(tail, substr(b, at)))
				return 1
		return 0
	}
	FILENAME == ARGV[1] { want[++wanted] = $0; next }
	{ have[++got] = $0 }
	END { exit !same(1, 1) }' "$1" "$2"
}

# Run the commands in one shell, as somebody who tries them would.
run_commands() {
	sh -c '
	page_parts=$1 page_count=$2 page_n=0
	while [ "$page_n" -lt "$page_count" ]; do
		page_n=$((page_n + 1))
		eval "$(cat "$page_parts/$page_n.command")" \
			>"$page_parts/$page_n.actual" 2>&1
	done' sh "$1" "$2"
}

# There is no GPU, but a page is about what runs on one: a process that is in no
# job, for which nvidia-smi has a stand-in.
lend_gpu() {
	[ "$1" = stfm-nodes.1 ] || return 0
	mkdir "$tap_dir/smi" &&
		ln -s "$top/tests/data/nvidia-smi" "$tap_dir/smi/" || return
	PATH=$tap_dir/smi:$PATH
	export GPU_PIDS="$tap_dir/smi/pids"
	echo "$outside 11469" >"$GPU_PIDS"
}

run_page() {
	parts=$tap_dir/pages/$1
	mkdir -p "$parts" "here-$1" "home-$1"
	take_apart "$top/man/$1" "$parts"
	is "$1: every line of a display belongs to a command" "" \
		"$(cat "$parts/0.expected" 2>&-)"
	count=$(cat "$parts/count")
	(cd "here-$1" && HOME=$tap_dir/here/home-$1 && lend_gpu "$1" &&
		run_commands "$parts" "$count")
	n=0
	while [ "$n" -lt "$count" ]; do
		n=$((n + 1))
		if as_shown "$parts/$n.expected" "$parts/$n.actual"; then
			tap_say ok "$1: $(head -n 1 "$parts/$n.command")"
		else
			is "$1: $(head -n 1 "$parts/$n.command")" \
				"$(cat "$parts/$n.expected")" \
				"$(cat "$parts/$n.actual")"
		fi
	done
}

has_examples() {
	displays "$1" | grep -q '^\$ '
}

uses_slurm() {
	displays "$1" | grep -Eq '^\$ (.*stfm-submit|.*sbatch |srun |salloc )'
}

for source in "$top"/bin/*.c; do
	page=$top/man/$(basename "$source" .c).1
	ok "${page##*/} has examples" has_examples "$page"
done

cluster_pages=
for page in "$top"/man/*.[1-8]; do
	if uses_slurm "$page"; then
		cluster_pages="$cluster_pages ${page##*/}"
	else
		run_page "${page##*/}"
	fi
done

if [ -n "$cluster_pages" ]; then
	at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
	ok "a sandbox starts" stfm-sandbox start -Q -d "$sandbox"
	eval "$(stfm-sandbox env -d "$sandbox")"
	sleep 600 &
	outside=$!
	at_exit 'kill "$outside"'
	for page in $cluster_pages; do
		run_page "$page"
		# What it left behind is not in the way of the next.
		scancel -u "$(id -un)"
	done
fi

done_testing
