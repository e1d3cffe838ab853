#!/bin/sh
# What a page shows as typed text reaches the reader with each of its
# characters, and the pages answer the questions in tests/questions.
#
# mdoc takes quotation marks at the beginning of a word for its own, and some
# words for macros or punctuation.  For each page this compares the source of
# the headings, of the literal displays, and of the lines that begin with .Ql,
# .Dl or .Li, with what mandoc makes of the page.  White space is left out:
# lines may be broken anywhere.
. "$(dirname "$0")/tap.sh"

command -v mandoc >/dev/null || skip_all "there is no mandoc"

# The characters of a rendered page, without those of typesetting.
rendered() {
	mandoc -Tutf8 "$1" | col -b | tr -d ' \t\n' | sed "s/[‘’]//g"
}

# Headings and lines of typed text, "NUMBER:TEXT" without white space.
typed() {
	awk '
	/^\.S[hs] / { sub(/^\.S[hs] /, ""); print FNR ":" $0; next }
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

# Quotations that begin within another one, as of ".Ql min No or Ql max", and
# lines of source whose words are one quotation, as of ".Ql min , max".
nested() {
	# shellcheck disable=SC1112 # quotes as mandoc makes them
	mandoc -Tutf8 "$1" | col -b | tr '\n' ' ' | sed 's/‘/\
<&/g; s/’/>\
/g' | sed -n 's/ *$//; /^<[^>]*$/p'
	grep -nE '^\.([A-Z][a-z] )?Ql [^ ]+ , [^ ]+' "$1"
}

for page in "$top"/man/*.[1-8]; do
	is "${page##*/}: what is typed is shown as it is" "" "$(lost "$page")"
	is "${page##*/}: each quotation is one word" "" "$(nested "$page")"
done

cat >eaten.1 <<'END'
.Dd November 23, 2026
.Dt EATEN 1
.Os
.Sh NAME
.Nm eaten
.Nd lose quotation marks
.Ss In a script
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
cat >nested.1 <<'END'
.Dd November 23, 2026
.Dt NESTED 1
.Os
.Sh NAME
.Nm nested
.Nd quote within a quotation
.Sh DESCRIPTION
The goal
.Pq Ql min No or Ql max
is in
.Ql good .
.Ql a , b
END
is "a page with nested quotations is found" "<‘min or
12:.Ql a , b" "$(nested nested.1)"
is "a page that loses some is found" '7:Inascript
15:echoone"two"' "$(lost eaten.1)"

# The questions in tests/questions name a page and a heading of it, and the page
# has the commands and options of the answer.

# "PAGE<tab>HEADING<tab>ANSWER" for each question, in which what is missing is
# empty.
asked() {
	awk '
	function tell() {
		if (question != "")
			printf "%s\t%s\t%s\n", page, heading, answer
		question = answer = page = heading = more = ""
	}
	/^Q: / { tell(); question = $0; more = "" }
	/^A: / { answer = substr($0, 4); more = "A"; next }
	/^P: / {
		page = heading = substr($0, 4)
		sub(/\).*/, "", page)
		sub(/\(/, ".", page)
		sub(/^[^,]*, /, "", heading)
		more = ""
	}
	/^   / && more == "A" { answer = answer " " substr($0, 4) }
	END { tell() }' "$1"
}

# What a question with these three words lacks.
unanswered() {
	if [ ! -e "$top/man/$1" ]; then
		echo "no page $1"
		return
	fi
	grep -Eqx "\.S[hs] (.&)?$2" "$top/man/$1" || echo "$1: no heading $2"
	[ -n "$3" ] || echo "$1, $2: no answer"
	for word in $3; do
		word=${word%%[=.,;:]*}
		case $word in
		stfm-?* | -[a-zA-Z] | --?*) ;;
		*) continue ;;
		esac
		mandoc -Tutf8 "$top/man/$1" | col -b |
			grep -Eq -e "(^|[^-a-zA-Z])$word([^-a-zA-Z]|\$)" ||
			echo "$1: no $word"
	done
}
check_asked() {
	tab=$(printf '\t')
	asked "$1" | while IFS=$tab read -r page heading answer; do
		unanswered "$page" "$heading" "$answer"
	done
}

questions=$top/tests/questions
is "there are 46 questions" 46 "$(asked "$questions" | wc -l)"
is "as many as the file says" 46 "$(sed -n \
	's/.* of the \([0-9]*\) must pass.*/\1/p' "$questions")"
is "their pages answer them" "" "$(check_asked "$questions")"

cat >wrong <<'END'
Q: Where?
A: stfm-log --nowhere, or
   stfm-lost -e
P: stfm-log(1), DESCRIPTION

Q: When?
A: Now.
P: stfm-gone(1), DESCRIPTION

Q: How?
P: stfm-log(1), NO HEADING
END
is "what is not on a page is found" "stfm-log.1: no --nowhere
stfm-log.1: no stfm-lost
no page stfm-gone.1
stfm-log.1: no heading NO HEADING
stfm-log.1, NO HEADING: no answer" "$(check_asked wrong)"

done_testing
