#!/bin/sh
# make deps: what is asked of the package manager, and what is said.
. "$(dirname "$0")/tap.sh"

mkdir tree tools
cp "$top/tests/deps.sh" tree
deps=$PWD/tree/deps.sh
cat >tree/packages <<'END'
# a comment
check shell     sh              a shell
check widget    stfm-widget     the widgets
check headers   stdio.h         the C library
check gadgets   stfm/gadget.h   gadgets
check data      /nosuch*/data   the data
check here      /usr/b*/env     what is here
lint  linter    stfm-linter     lint
END

# A package manager that writes down what it is told.  "gadgets" is known only
# after an update; installing the widget works, the rest never appears.
cat >tools/apt-get <<'END'
#!/bin/sh
echo "apt-get $*" >>"$LOG"
case " $* " in
*" update "*) touch "$LOG.updated" ;;
*" widget"*)
	printf '#!/bin/sh\n' >"${0%/*}/stfm-widget"
	chmod +x "${0%/*}/stfm-widget"
	;;
esac
[ ! -e "$LOG.offline" ]
END
cat >tools/apt-cache <<'END'
#!/bin/sh
echo "$2:"
[ "$2" = gadgets ] && [ ! -e "$LOG.updated" ] && exit
echo "  Candidate: 1.0"
END
cat >tools/id <<'END'
#!/bin/sh
echo "${USER_ID:-0}"
END
chmod +x tools/*
export LOG="$PWD/log" CC="${CC:-cc}"

run() {
	rm -f log
	PATH=$PWD/tools:$PATH sh "$deps" "$@"
}
asked() {
	sed 's/-q -o [^ ]* //; s/-y --no-install-recommends //' log |
		tr '\n' ';'
}

sed -i '/nosuch\|gadget/d' tree/packages
status "what is missing is installed" 0 run check
is "by its package's name, without updating first" \
	"apt-get install widget;" "$(asked)"
status "when nothing is missing, all is well" 0 run check
ok "and nothing is asked" test ! -e log

printf 'check gadgets stfm/gadget.h gadgets\n' >>tree/packages
status "what does not appear is an error" 2 run check
is "an unknown package needs an update first" \
	"apt-get update;apt-get install gadgets;" "$(asked)"
refused "it is named" "installed, but still not found: gadgets" run check
refused "with what it is for" "  gadgets            gadgets" run check

touch log.offline
refused "failure is explained" "could not install them (no network?" run check
is "after one more try with an update" \
	"apt-get install gadgets;apt-get update;" "$(asked)"
rm log.offline

refused "groups are apart" "still not found: linter" run lint
refused "and together" "still not found: linter gadgets" run check lint
refused "a path may be missing" "still not found: data" sh -c '
	echo "check data /nosuch*/data the data" >tree/packages
	PATH=$PWD/tools:$PATH sh tree/deps.sh check'

# A machine with hardly anything, seen by somebody who is not root.
mkdir few
for tool in awk cut sed tr grep; do
	ln -s "$(command -v "$tool")" few
done
ln -s "$PWD/tools/id" few
poor() {
	USER_ID=1000 PATH=$PWD/few /bin/sh "$deps" "$@"
}
printf 'check widget stfm-nosuch widgets\n' >tree/packages
refused "other systems are told what to look for" \
	"this system has no apt-get" poor check
ln -s "$PWD/tools/apt-get" few
refused "without root and sudo there is advice" \
	"  apt-get install --no-install-recommends widget" poor check

done_testing
