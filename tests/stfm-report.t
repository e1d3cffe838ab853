#!/bin/sh
# stfm-report writes a page that says what is in the store and runs nothing.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export STFM_DIR="$tap_dir/store"
cp -R "$top/tests/plot/results" "$top/tests/plot"/*.csv . || exit 99
esc=$(printf '\033')
turn=$(printf '\342\200\256')
evil='</title></style>"><script>document.title=1</script>'
printf 'RuntimeError: %s<img src=x onerror=pwned=1> ]]>%s[31m \377\n' \
	"$evil" "$esc" >evil.log
printf 'epoch,loss%s\n0,1\n1,0.5\n' "$evil" >evil.csv
"$fixture" "$STFM_DIR" <"$top/tests/plot/store" || exit 99
"$fixture" "$STFM_DIR" <<-EOD || exit 99
	job|evil|lr=1,$evil|opt=x' onmouseover='pwned=2,a$turn${esc}[31m|c=7
	set|description=</p>$evil${esc}[31m ]]> &lt;|metric=loss$evil
	task|0|FINISHED|node=n<b>1|start=-4000|end=-400|array=5|exit=0|gpus=0,1
	metrics|0|evil.csv
	task|1-2|ERROR|cause=<i>it|node=$evil|start=-90|end=-50|array=5|exit=1|\
	log=$PWD/evil.log|gpus=0,1
	metrics|1|evil.csv
	chunk|0-3|5
	fold|trouble=no $evil
	end
EOD

# The elements of a page, or what is wrong with it: tags that do not match,
# attributes that run something or refer to something, a script of others.
cat >check.py <<'EOD'
import base64, hashlib, html.parser, re, sys
page = open(sys.argv[1], "rb").read().decode("utf-8")
class Page(html.parser.HTMLParser):
    void = {"meta", "br", "link", "img", "input", "hr"}
    open, seen, script = [], {}, ""
    def handle_starttag(self, tag, attributes):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "style", "srcdoc") or \
                    name == "href" and not value.startswith("#"):
                print("attribute", tag, name, value)
        if tag not in self.void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            print("</%s> at" % tag, self.getpos())
    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.script += text
p = Page(convert_charrefs=True)
p.feed(page)
print(*("open " + tag for tag in p.open), sep="\n", end="")
for tag in ("script", "style", "title", "h1", "main"):
    # The titles of points are in SVG.
    count = len(re.findall("<head>.*</head>", page, re.S)[0].split(
        "<title>")) - 1 if tag == "title" else p.seen.get(tag, 0)
    if count != 1:
        print(tag, count)
for tag in ("img", "link", "iframe", "object", "base", "form", "i", "b"):
    if tag in p.seen:
        print(tag)
own = base64.b64encode(hashlib.sha256(p.script.encode()).digest()).decode()
if "script-src 'sha256-%s'" % own not in page:
    print("the script is", own)
bad = [c for c in page if c != "\n" and ord(c) < 32 or
    0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e]
if bad:
    print("control characters", bad)
EOD

report() {
	stfm-report --no-refresh "$@"
}
# has "sentence" "regexp" FILE: some line of it matches.
has() {
	ok "$1" grep -Eq -e "$2" "$3"
}
report conv2d acc one >page.html
is "a page is well-formed, and only its script can run" "" \
	"$(python3 check.py page.html)"
report evil >evil.html 2>notes
is "so it is whatever names and messages say" "" "$(python3 check.py evil.html)"
has "they are shown" '&lt;script&gt;document[.]title=1&lt;/script&gt;' evil.html
has "the error, too" 'RuntimeError: &lt;/title&gt;.*\]\]&gt; \\xff' evil.html
report --title "$evil$esc" conv2d >titled.html
is "and a title" "" "$(python3 check.py titled.html)"
report evil/0 >one.html 2>notes
is "and a task alone" "" "$(python3 check.py one.html)"

# What each section says.
text() {
	sed 's/<[^>]*>/ /g; s/  */ /g' "$1"
}
text page.html >page.txt
has "the page has a title" '^ ?Report of conv2d, acc, one ?$' page.txt
has "the states of tasks" \
	'8: 1 SUBMITTED , 1 RUNNING , 4 FINISHED , 1 ERROR , 1 STOPPED' page.txt
has "the best task" \
	'val_loss 0[.]4942 at epoch 97, task 3: lr=0[.]01 batch_size=64' \
	page.txt
has "what all tasks share" 'The same for all ?$' page.txt
has "what mattered" 'lr explains 86% of the variance' page.txt
has "why a task has no curve" 'conv2d/6: no metrics \(STOPPED\)' page.txt
has "the failures" '1 exit 1 no output in the log conv2d/4' page.txt
has "equal failures are one" \
	'>2</td><td>&lt;i&gt;it</td>.*evil/1-2</td>' evil.html
text evil.html >evil.txt
has "the cost of finished tasks" '^ FINISHED 2[.]00 ?$' evil.txt
has "and what it was for" '^ 2% went into tasks that failed' evil.txt
has "the command" '^<dd><pre>train</pre>|<pre>train</pre>' page.html
has "a curve with its values" '^epoch 97: 0[.]4942</title>' page.html
is "a table of several jobs, with links" 3 \
	"$(grep -c '<a href="#job[0-2]">' page.html)"
is "which one job does not have" 0 "$(grep -c '<nav' evil.html)"
has "Slurm's trouble" 'class="note">.*no &lt;/title' evil.html
has "which is told, too" 'Slurm not reachable' notes

# Options.
rows() {
	sed -n '/<h3>Tasks/,/<h3>Co/s/^<tr><th scope="row">\([0-9]*\)<.*/\1/p' |
		tr '\n' ' '
}
is "the best is the first" "3 2 5 4 0 1 6 7 " "$(report conv2d | rows)"
is "-s sorts" "0 1 2 3 4 5 6 7 " "$(report -s task conv2d | rows)"
is "-n lists some" "3 2 " "$(report -n 2 conv2d | rows)"
like "which is said" 'The first 2 of 8[.]' "$(report -n 2 conv2d)"
is "-t selects" "3 5 0 1 " "$(report -t FINISHED conv2d | rows)"
like "of which the summary is" '4 of 8: 4 FINISHED' \
	"$(report -t FINISHED conv2d | sed 's/<[^>]*>//g')"
is "-w selects" "2 3 " "$(report -w lr=0.01 -s task conv2d | rows)"
is "-m is another metric" "0 1 2 " \
	"$(report -m loss conv2d/0-2 -s task | rows)"
like "of which it tells" 'loss, lower is better' "$(report -m loss conv2d)"
report -m val_loss,loss -s task conv2d >two.html
is "and other metrics are shown, too" "" "$(python3 check.py two.html)"
has "in a chart" '<figcaption>loss, the best|<figcaption>loss, 6 tasks' two.html
has "and a column, where the first one is the best" \
	'>0[.]4942</td><td class="n" data-v="97">97</td><td .*>0[.]3954<' \
	two.html
like "--curves draws the best" 'the best 2 of 6 tasks of conv2d' \
	"$(report --curves 2 conv2d)"
like "--title" '<h1>Rates &amp; sizes</h1>' \
	"$(report --title 'Rates & sizes' conv2d)"
status "nothing is left" 1 report -t OOM conv2d
is "then there is no page" "" "$(report -t OOM conv2d 2>notes)"
refused "no job" "usage: stfm-report" stfm-report
refused "a job that is not there" "conv3d: no such job" report conv3d
refused "a metric that is not there" "--metric: " report -m nothing conv2d
refused "a column that is not there" "nothing: no such column" \
	report -s nothing conv2d
refused "no curve at all" "--curves" report --curves 0 conv2d
like "a terminal" 'stfm-report conv2d > report.html' "$(
	SHELL=/bin/sh script -qec 'stfm-report conv2d' /dev/null </dev/null
)"

report conv2d >page.html
is "the legend has the digits of the table" "2 1.6270 2 1.6900 0" "$(
	for value in 1.6270 1.6900; do
		printf '%s %s ' "$(grep -o ">$value<" page.html | wc -l)" $value
	done
	grep -c '<td class="n">1[.]627<' page.html)"

# The table of jobs.
{
	echo 'job|stopped|lr=1,2'
	echo 'task|0|FINISHED|start=-3800|end=-70|exit=0'
	echo 'task|1|STOPPED|start=-3700|end=-70'
	echo end
	echo 'job|cpus|lr=1'
	echo 'task|0|FINISHED|start=-3700|end=-70|exit=0'
	echo end
	echo 'job|gpus|lr=1'
	echo 'task|0|FINISHED|start=-3700|end=-100|exit=0|gpus=0'
	echo end
} | "$fixture" "$tap_dir/jobs" || exit 99
heads() {
	STFM_DIR=$tap_dir/jobs report "$@" |
		sed -n '/<nav/,/<.thead>/s/<[^>]*>/ /gp' | xargs
}
is "jobs with stopped tasks and GPUs have a column for them" \
	"Job Tasks Finished Error Stopped Metric Best GPU hours Submitted" \
	"$(heads stopped gpus)"
is "jobs without a GPU have hours" \
	"Job Tasks Finished Error Stopped Metric Best Hours Submitted" \
	"$(heads stopped cpus)"
is "jobs that stopped nothing have no such column" \
	"Job Tasks Finished Error Metric Best GPU hours Submitted" \
	"$(heads cpus gpus)"
like "how long it trained is told in words" \
	'started .*, ended .*, took 1 hour 2 minutes<' \
	"$(STFM_DIR=$tap_dir/jobs report stopped gpus)"

# A thousand tasks.
awk 'BEGIN {
	printf "job|big|seed=0..99|lr=1,2,3,4,5,6,7,8,9,10\n"
	for (t = 0; t < 1000; t++) {
		file = "big" t ".csv"
		print "epoch,val_loss" >file
		for (e = 0; e < 100; e++)
			print e "," 2 / (1 + e) + t / 999 + e * t % 7 / 99 >file
		close(file)
		print "task|" t "|FINISHED|array=9|exit=0|start=-99|end=-9"
		print "metrics|" t "|" file
	}
	print "end"
}' | "$fixture" "$STFM_DIR" || exit 99
is_quick() {
	began=$(date +%s%3N)
	report big >big.html
	[ $(($(date +%s%3N) - began)) -lt $((1000 + 20 * $(effort))) ]
}
ok "1,000 tasks take a second, or so many on a busy machine" poll 20 is_quick
is "they are a page" "" "$(python3 check.py big.html)"
ok "of less than 5 MB" test "$(wc -c <big.html)" -lt 5000000
has "which draws some, and says so" \
	'the best 50 of 1000 tasks of big' big.html
is "and lists all" 1000 "$(rows <big.html | wc -w)"

# What a browser makes of it.
browse() {
	timeout 120 chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$tap_dir/chromium" --dump-dom ${2:+"$2"} \
		"file://$PWD/$1" 2>browser.log
}
if ! command -v chromium >/dev/null; then
	skip "in a browser nothing of others runs" "there is no chromium"
else
	browse evil.html >dom
	has "in a browser our script runs" \
		'<button type="button">State</button>' dom
	has "nothing of others runs" '<title>Report of evil</title>' dom
	# Not because of the policy alone.
	sed /Content-Security-Policy/d evil.html >free.html
	browse free.html >dom
	has "nor does it without a policy" '<title>Report of evil</title>' dom
	sed 's|<main>|<main><script>document.title=1</script>|' free.html \
		>open.html
	browse open.html >dom
	has "where it could" '<title>1</title>' dom
	click() {
		report conv2d | sed "/Content-Security-Policy/d
			s|</body>|<script>$1</script></body>|" >clicked.html
		browse clicked.html | sed 's/<tr>/\n&/g' | rows
	}
	report conv2d | sed "/Content-Security-Policy/d
		s|</body>|<script>document.title = [...document\
			.querySelectorAll('.wide:has(.key)')].map(e =>\
			e.scrollWidth > e.clientWidth)</script></body>|" \
		>wide.html
	browse wide.html --window-size=1100,800 >dom
	has "the legend needs no scroll bar" '<title>false</title>' dom
	# Whatever the names are, only tables and code have scroll bars.
	# Frames, because a window is never as narrow as a phone.
	cat >frames.html <<'END'
<title></title>
<script>onmessage = e => document.title += e.data + ";"</script>
<iframe src="wide.html" style="width:390px"></iframe>
<iframe src="wide.html" style="width:900px"></iframe>
<iframe src="wide.html" style="width:1500px"></iframe>
END
	# fits SED: the widths of the frames that a page, edited so, fits.
	fits() {
		sed "/Content-Security-Policy/d
			s|</body>|<script>if (innerWidth >= document\
				.documentElement.scrollWidth)\
				parent.postMessage(innerWidth, '*')\
				</script></body>|; $1" >wide.html
		browse frames.html --virtual-time-budget=5000 |
			sed -n 's|.*<title>\([0-9;]*\)</title>.*|\1|p' |
			tr ';' '\n' | sort -n | xargs
	}
	for job in conv2d evil; do
		is "$job fits a phone, a tablet and a desk" "390 900 1500" \
			"$(report "$job" | fits)"
	done
	is "a wide line does not" "1500" "$(report conv2d |
		fits 's|<main>|<main><pre style=width:999px>x</pre>|')"
	head='document.querySelectorAll("th button")'
	is "a click sorts by numbers" "6 7 5 4 3 2 0 1 " \
		"$(click "${head}[4].click()")"
	is "a second one reverses" "0 1 3 2 5 4 6 7 " \
		"$(click "${head}[4].click();${head}[4].click()")"
	is "no value is the last" "1 0 4 5 2 3 6 7 " \
		"$(click "${head}[6].click();${head}[6].click()")"
fi
printf 'epoch,loss\n1,0.5\n2,-inf\n' >inf.csv
"$fixture" "$STFM_DIR" <<-EOD || exit 99
	job|ends|x=1,2
	task|0-1|FINISHED|start=-90|end=-50|array=7|exit=0
	metrics|0|inf.csv
	chunk|0-1|7
	end
EOD
has "a value that is not finite is shown, and sorted as none" \
	' data-v="">-inf</td>' - <<-EOD
	$(report ends)
EOD

# The contrast of each text on each ground, of which WCAG 2 asks for 4.5.
cat >contrast.py <<'END'
import re, sys

def light(color):
    digits = color.lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    part = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    part = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
            for c in part]
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]

def contrast(a, b):
    a, b = sorted((light(a), light(b)))
    return (b + 0.05) / (a + 0.05)

page = sys.stdin.read()
style = "".join(re.findall("<style>(.*?)</style>", page, re.S))
split = style.index("@media (prefers-color-scheme:dark)")
end = style.index("}}", split)
seen = 0
for name, css in (("light", style[:split]), ("dark", style[split:end])):
    root = dict(re.findall(r"--(\w+):(#[0-9a-f]+)", css))
    text = {key: root[key] for key in ("ink", "soft", "link")}
    text.update(re.findall(r"\.([A-Z]+)\{color:(#[0-9a-f]+)", css))
    for key, color in text.items():
        for ground in ("page", "shade"):
            seen += 1
            ratio = contrast(color, root[ground])
            if ratio < 4.5:
                print(f"{name}: {key} on {ground}: {ratio:.2f}")
print(seen, "pairs")
END
is "every text can be read on its ground" "32 pairs" \
	"$(report ends | python3 contrast.py)"

# What stfm-plot advises to type is no help to who reads a page.
awk -f "$top/tests/plot/sweep.awk" >sweep.jobs
"$fixture" "$tap_dir/sweep" <sweep.jobs || exit 99
STFM_DIR=$tap_dir/sweep
is "stfm-plot advises" "1 of 33 still training (--at 5 compares at the same \
epoch)" "$(stfm-plot --hist sweep 2>&1 | grep -o '1 of 33 still.*')"
is "a page says only how it is" "1 of 33 still training" \
	"$(report sweep | grep -oE '1 of 33 still[^<]*' | sort -u)"

done_testing
