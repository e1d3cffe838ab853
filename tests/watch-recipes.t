#!/bin/sh
# The recipes in examples/ by which people are told of events, as they would be
# used: by cron, by systemd, by mail, over HTTP.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent
fixture=$top/build/plain/tests/store-fixture
[ -z "$SANITIZE" ] || fixture=$top/build/sanitize/tests/store-fixture

# A store where people have it, and a job that has ended since the last pass.
store=$HOME/.local/share/stfm
words='<&> "oops" 100%'
news() {
	"$fixture" "$store" <<-END
		job|$1|lr=0.1,1e-3|s=1..2
		task|0,2|FINISHED|exit=0|start=-900|end=-60
		task|1,3|ERROR|cause=exit 1|reason=$words|start=-9|end=-8
		end
	END
}
# What is there is older than a command that comes now.
age() {
	touch -d '1 hour ago' "$store"/jobs/*/job.json
}
"$fixture" "$store" <<-'END'
	job|empty|x=1
	end
END
age

# The command lines of what cron reads, as it takes them.
lines_of() {
	grep -v '^#' "$1" | cut -d ' ' -f 6- | sed 's/\\%/%/g'
}
# Nothing but what cron sets, and Slurm's configuration, which has no place.
as_cron() {
	env -i HOME="$HOME" PATH=/usr/bin:/bin SHELL=/bin/sh LOGNAME=me \
		SLURM_CONF=/nonexistent /bin/sh -c "$1"
}
mkdir -p "$HOME/.local/bin"
for command in stfm-watch stfm-status; do
	ln -s "$bin/$command" "$HOME/.local/bin/$command"
done

# ---- cron ----

line=$(lines_of "$examples/crontab")
as_cron "$line" >out 2>&1
is "the first pass of crontab is quiet" "" "$(cat out)"
news news1
as_cron "$line" >out 2>&1
is "the next tells what is new" \
	'news1: 2 tasks failed: <&> "oops" 100% (exit 1)
news1 ended: 2 FINISHED, 2 ERROR in 14:52' "$(cat out)"
as_cron "$line" >out 2>&1
is "once" "" "$(cat out)"

line=$(lines_of "$examples/scrontab")
as_cron "$line" >out 2>&1
like "scrontab wants a program" "notify: no such program" "$(cat out)"
# As its comment has it.
cat >"$HOME/.local/bin/notify" <<END
#!/bin/sh
exec $examples/notify-mail.sh me@example.org
END
chmod +x "$HOME/.local/bin/notify"
cat >"$HOME/.local/bin/mail" <<'END'
#!/bin/sh
for word; do
	printf '<%s>' "$word"
done >>"$HOME/mailed"
{ echo; cat; } >>"$HOME/mailed"
END
chmod +x "$HOME/.local/bin/mail"
age
as_cron "$line" >out 2>&1
news news2
as_cron "$line" >>out 2>&1
is "with one nothing is printed" "" "$(cat out)"
is "and there are two mails" "<-s><stfm: news2: error><me@example.org>
<-s><stfm: news2: finished><me@example.org>" "$(grep '^<' "$HOME/mailed")"
like "one says what failed" '^news2: 2 tasks failed: <&> "oops" 100% ' \
	"$(cat "$HOME/mailed")"
like "with the groups" '^  exit 1  news2/1,3$' "$(cat "$HOME/mailed")"
like "the other that it has ended" \
	'^news2 ended: 2 FINISHED, 2 ERROR in 14:52$' "$(cat "$HOME/mailed")"
for file in crontab scrontab; do
	is "$file has one line of five fields and a command" 1 \
		"$(grep -cE '^([0-9*/]+ ){5}PATH=' "$examples/$file")"
done
sed -n 's/^#SCRON --\([a-z-]*\).*/\1/p' "$examples/scrontab" >options
while read -r option; do
	ok "scrontab's --$option is one of sbatch" \
		grep -q "\"$option\"" "$top/lib/slurm/sbatch.c"
done <options

# ---- systemd ----

units=$tap_dir/units
mkdir "$units"
for file in stfm-watch.service stfm-watch.timer; do
	sed "s|%h|$HOME|g" "$examples/$file" >"$units/$file"
done
if systemd-analyze --version >/dev/null 2>&1; then
	is "systemd takes the units" "" "$(XDG_RUNTIME_DIR=$tap_dir \
		systemd-analyze verify --man=no --user "$units"/* 2>&1 |
		grep -e stfm-watch)"
else
	echo "# no systemd here to take the units"
fi
# What systemd runs, split at blanks as it does.
unit=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$units/stfm-watch.service" |
	sed 's/^ExecStart=//; s/\\$//' | tr -d '\n')
path=$(sed -n 's/^Environment=PATH=//p' "$units/stfm-watch.service")
as_systemd() {
	# shellcheck disable=SC2086 # words
	env -i HOME="$HOME" PATH="$path" SLURM_CONF=/nonexistent $unit
}
age
as_systemd
news news3
: >"$HOME/mailed"
status "its pass without Slurm is no failure for it" \
	"$(sed -n 's/^SuccessExitStatus=//p' "$units/stfm-watch.service")" \
	as_systemd
is "and mails" 2 "$(grep -c '^<-s><stfm: news3' "$HOME/mailed")"

# ---- over HTTP ----

for python in /usr/bin/python3 python3; do
	"$python" -c 'import http.server' 2>/dev/null && break
	python=
done
if [ -z "$python" ] || ! command -v curl >/dev/null; then
	echo "# no curl or no Python: nothing is sent over HTTP"
	done_testing
fi
cat >listen.py <<'END'
import http.server, json, os

class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("requests", "a") as out:
            print(json.dumps({"method": self.command, "path": self.path,
                "title": self.headers["Title"],
                "type": self.headers["Content-Type"],
                "token": self.headers["Authorization"],
                "body": body.decode()}), file=out)
        self.send_response(503 if "down" in self.path else 200)
        self.end_headers()
        self.wfile.write(b"answer that nobody wants to see\n")
    do_POST = do_PUT = answer
    def log_message(self, *args):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as out:
    print(server.server_port, file=out)
os.rename("port.new", "port")
server.serve_forever()
END
"$python" listen.py &
at_exit "kill $!"
poll 20 test -s port || exit 99
url=http://127.0.0.1:$(cat port)

# A pass with a recipe as its command when a job has failed; what it prints.
tell() {
	stfm-watch --once -Q --on error "$2" empty >out 2>&1
	news "$1"
	rm -f requests
	stfm-watch --once -Q --on error "$2" "$1" >>out 2>&1
	cat out
}
of_request() {
	jq -r "$1" requests
}
text='2 tasks failed: <&> "oops" 100% (exit 1)'

is "ntfy: nothing is printed" "" \
	"$(NTFY_URL=$url tell ntfy "$examples/notify-ntfy.sh secret-topic")"
is "a message with a title" \
	"POST /secret-topic, ntfy: error, ntfy: $text" \
	"$(of_request '"\(.method) \(.path), \(.title), \(.body)"')"

printf '%s\n' "$url/services/T0/B0/XX" >hook
is "Slack: nothing is printed" "" \
	"$(tell slack "$examples/notify-slack.sh $PWD/hook")"
is "its address is the one in the file" "POST /services/T0/B0/XX" \
	"$(of_request '"\(.method) \(.path)"')"
is "the text is as Slack wants it" \
	'slack: 2 tasks failed: &lt;&amp;> "oops" 100% (exit 1)' \
	"$(of_request '.body | fromjson | .text')"

printf 'syt_token\n' >token
is "Matrix: nothing is printed" "" "$(tell matrix "$examples/notify-matrix.sh \
	$url '!room:example.org' $PWD/token")"
like "the room is named" \
	'^PUT /_matrix/client/v3/rooms/(!|%21)room%3Aexample.org/send/m.r' \
	"$(of_request '"\(.method) \(.path)"')"
is "the token goes with it" "Bearer syt_token application/json" \
	"$(of_request '"\(.token) \(.type)"')"
is "and the text" "m.notice matrix: $text" \
	"$(of_request '.body | fromjson | "\(.msgtype) \(.body)"')"

printf '%s\n' "$url/down" >hook
like "a service that is down is reported" \
	"down: --on: the command for 'error' ended with status 22" \
	"$(tell down "$examples/notify-slack.sh $PWD/hook # down")"
like "with what it said" "curl: .* 503" "$(cat out)"

done_testing
