"""Press keys in an interactive shell.

tab.py READY END PROGRAM [ARGUMENT ...] <KEYS

The keys are sent when READY, the prompt, is there; END is what the last line
of them prints.
"""

import os
import pty
import select
import sys
import time


def main():
    ready, end = (word.encode() for word in sys.argv[1:3])
    keys = sys.stdin.buffer.read()
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[3], sys.argv[3:])
    deadline = time.monotonic() + 60
    seen = b""

    def wait_for(mark):
        nonlocal seen
        while mark not in seen:
            left = max(0, deadline - time.monotonic())
            if not select.select([terminal], [], [], left)[0]:
                sys.exit("waited in vain for %r: %r" % (mark, seen[-200:]))
            try:
                more = os.read(terminal, 65536)
            except OSError:
                more = b""
            if not more:
                sys.exit("it ended: %r" % seen[-200:])
            seen += more

    wait_for(ready)
    seen = b""
    while keys:
        keys = keys[os.write(terminal, keys):]
    wait_for(end + b"\r\n")
    os.close(terminal)
    os.waitpid(child, 0)


main()
