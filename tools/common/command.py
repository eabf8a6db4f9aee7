"""What tools in Python do with other programs, and how they end."""

import subprocess
import sys


def stop(code, sentence):
    sys.stdout.flush()
    print(sentence, file=sys.stderr)
    sys.exit(code)


def said(words, **more):
    """The exit code of a command, 127 where it could not be started, and all
    that it says. It reads nothing: its input is empty."""
    try:
        ran = subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, errors="replace",
                             stderr=subprocess.STDOUT, check=False, **more)
    except OSError as reason:
        return 127, str(reason)
    return ran.returncode, ran.stdout
