#!/usr/bin/env python3
"""simt-check VERB FILE.cu... [FLAG...] [SETTING...] [-- ARGUMENT...]

Runs a CUDA program on the CPU, with its own main and as it is.
VERB     race: looks for races and other faults of kernels
         count: counts memory accesses by line     run: runs it, unwatched
FLAG     goes to g++, as -DN=64 and -I include
SETTING  BLOCKS=64: only the first and the last blocks of each launch
         LIMIT=60: is stopped after so many seconds
         ORDER=2: other warps and blocks first
Exit: 0 nothing found; 1 a finding, or the program failed; 2 usage, or it does
not compile; 3 it needs what is not here, in one sentence.
"""

import json
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE))
from command import end, said, stop  # noqa: E402
import program  # noqa: E402

VERBS = ("run", "race", "count")
SETTINGS = ("BLOCKS", "LIMIT", "ORDER")
OLDEST = 11


def compiler():
    name = os.environ.get("CXX", "g++")
    code, text = said([name, "--version"])
    if code or "Free Software Foundation" not in text:
        stop(program.IMPOSSIBLE, f"This needs g++, and '{name}' is none.")
    version = re.match(r"\d*", said([name, "-dumpversion"])[1])[0]
    if int(version or 0) < OLDEST:
        stop(program.IMPOSSIBLE, f"This needs g++ {OLDEST} or newer; {name} is "
             f"{version}.")
    return shlex.quote(name)


def main(*words):
    if not words or words[0] in ("-h", "--help"):
        print(__doc__, end="")
        return 0 if words else program.USAGE
    verb, *words = words
    if verb not in VERBS:
        stop(program.USAGE, f"There is no '{verb}': simt-check takes run, race "
             "or count, and then a CUDA program.")
    at = words.index("--") if "--" in words else len(words)
    words, arguments = iter(words[:at]), words[at + 1:]
    files, flags, settings = [], [], dict.fromkeys(SETTINGS, "")
    for word in words:
        name, _, value = word.partition("=")
        if word.startswith("-"):
            flags.append(word)
            if word in program.WITH_VALUE:
                flags.append(next(words, ""))
        elif name in SETTINGS:
            settings[name] = value
        else:
            files.append(word)
    if not files:
        stop(program.USAGE, f"simt-check {verb} takes a CUDA program, as in "
             f"'simt-check {verb} x.cu'.")
    cxx, folder = compiler(), shlex.quote(str(HERE))
    short = shlex.quote(f"-ffile-prefix-map={os.getcwd()}=.")
    for name, text in json.loads((HERE / "flags.json").read_text()).items():
        text = text.replace("@", folder).removeprefix("g++")
        os.environ[name] = f"{cxx} {text} {short}"
    os.environ["SIMT_ORDER"] = settings["ORDER"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PROGRAM_FOLDER"] = folder
        return program.main("cpu", shlex.join(files), shlex.join(flags),
                            shlex.join(arguments), settings["LIMIT"],
                            settings["BLOCKS"], verb)


if __name__ == "__main__":
    end(main, *sys.argv[1:])
