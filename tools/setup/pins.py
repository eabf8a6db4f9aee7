"""What pins.conf names, and what of it is here: for setup, downloads and
doctor."""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

SETUP = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(SETUP))
DEPS = f"{ROOT}/.deps"
sys.path.append(f"{ROOT}/tools/common")
from command import answer, said, text_of

GROUPS = "core book tests peers model cluster aarch64".split()
PINS = text_of(f"{SETUP}/pins.conf")
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)+")
# How headers and sanitizers are looked for
PROBES = {"header": "gcc -E -include {} -x c /dev/null",
          "clang": "echo 'int main(void) {{ return 0; }}' | clang -x c {} -o "
                   "/dev/null -"}


def pinned(pattern):
    """The rest of each line that begins so."""
    return re.findall(rf"(?m)^{pattern} (.*)", PINS)


def version_of(program):
    """The first number with a dot that it says of itself."""
    its = NUMBER.search(said([program, "--version"])[1])
    return its[0] if its else ""


def numbers(version):
    return [int(part) for part in version.split(".") if part]


class Package(NamedTuple):
    """One of Debian's."""

    name: str
    tried: str
    oldest: str
    probe: str
    purpose: str

    def present(self):
        """Of any age."""
        kind, _, what = self.probe.partition(":")
        if kind == "command":
            return bool(shutil.which(what))
        if kind == "file":
            return os.path.exists(what)
        if kind == "pip":  # to install a toolkit with, in an environment
            return bool(script("cuda-home.sh") or
                        importlib.util.find_spec("ensurepip"))
        return not said(["sh", "-c", PROBES[kind].format(what)])[0]

    def good(self):
        return self.present() and (self.oldest == "-" or numbers(version_of(
            self.probe.partition(":")[2])) >= numbers(self.oldest))


def packages_of(group):
    return [Package(*line.split(" ", 4)) for line in pinned(f"apt {group}")]


def requirements(*sets):
    """What pip installs for these, a package a line, with this machine's hashes
    where there are any."""
    found, wanted = [], False
    for kind, *words in map(str.split, filter(None, PINS.splitlines())):
        if kind in ("wheel", "pip"):
            wanted = words[0] in sets
            found += [f"{words[1]}=={words[2]}"] * wanted
        elif kind == "sha256" and wanted and words[0] == platform.machine():
            found[-1] += f" --hash=sha256:{words[1]}"
    return "".join(f"{line}\n" for line in found)


def script(name, *words):
    """What one of the programs here says, or nothing where it fails."""
    return (answer([f"{SETUP}/{name}", *words], stdin=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL) or "").strip()


def stamped(folder, text):
    """Is it whole, and what is pinned now?"""
    return text_of(f"{DEPS}/{folder}/stamp") == text


def aarch64_pins():
    return "".join(f"{' '.join(line.split()[:2])}\n"
                   for line in pinned("deb aarch64"))
