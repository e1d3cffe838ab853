#!/bin/sh
# What a page shows as typed text reaches the reader with each of its
# characters.
#
# mdoc takes quotation marks at the beginning of a word for its own, and some
# words for macros or punctuation.  For each page this compares the source of
# the literal displays, and of the lines that begin with .Ql, .Dl or .Li, with
# what mandoc makes of the page.  White space is left out: lines may be broken
# anywhere.
. "$(dirname "$0")/tap.sh"

command -v mandoc >/dev/null || skip_all "there is no mandoc"

# The characters of a rendered page, without those of typesetting.
rendered() {
	mandoc -Tutf8 "$1" | col -b | tr -d ' \t\n' | sed "s/[‘’]//g"
}

# Lines of typed text in a page, "NUMBER:TEXT" without white space.
typed() {
	awk '
	/^\.Bd -literal/ { shown = 1; next }
	/^\.Ed/ { shown = 0 }
	shown && !/^\./ { print FNR ":" $0; next }
	!/^\.(Ql|Dl|Li) / { next }
	{
		sub(/^\.[A-Z][a-z] /, "")
		# What follows another macro, and punctuation at the end of
		# the line, belong to the sentence.
		sub(/ (No|Ns|Ar|Fl|Ta|Op|Oo|Pq|Po|Pc|Xr|Li|Ql|Cm) .*/, "")
		sub(/ (Pc|Ns|Oc|Qc)$/, "")
		while ($0 ~ /[^\\] [].,:;)?!]$/)
			$0 = substr($0, 1, length($0) - 2)
		print FNR ":" $0
	}' "$1" | sed 's/\\&//g; s/\\ / /g; s/\\-/-/g; s/\\e/\\/g
		s/\\(aq/'\''/g; s/\\(dq/"/g; s/\\(ga/`/g; s/\\(ha/^/g
		s/\\(ti/~/g; s/[ 	]//g'
}

# The lines of typed text that a reader does not see as they are.
lost() {
	rendered "$1" >"$tap_dir/rendered"
	typed "$1" >"$tap_dir/typed"
	awk '
	FILENAME == ARGV[1] { page = page $0; next }
	{
		text = $0
		sub(/^[0-9]+:/, "", text)
		if (!index(page, text))
			print
	}' "$tap_dir/rendered" "$tap_dir/typed"
}

for page in "$top"/man/*.[1-8]; do
	is "${page##*/}: what is typed is shown as it is" "" "$(lost "$page")"
done

cat >eaten.1 <<'END'
.Dd November 23, 2026
.Dt EATEN 1
.Os
.Sh NAME
.Nm eaten
.Nd lose quotation marks
.Sh EXAMPLES
.Bd -literal
$ echo "a b" 'c' \e
	"$(date)"
.Ed
.Pp
See
.Ql echo one "two" ;
and
.Ql a:='["log:x"]' .
END
is "a page that loses some is found" '14:echoone"two"' "$(lost eaten.1)"

done_testing
