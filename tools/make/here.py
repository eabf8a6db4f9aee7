"""What is here: compilers, CUDA and a GPU; and make's rules, which build with
them."""

import contextlib
import os
import re
import signal
import sys

from command import call, cuda_home, lock, said, stop, text_of
from facts import architectures

# What a make sets for those that it calls.
MAKES_OWN = "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "GOALS"


def compiler(words, name, default):
    """GCC builds the executor. Another compiler that dotfiles name is passed
    over; where it was written after make, that is an error."""
    its = words[name]
    if not its or "Free Software Foundation" in said(
            ["sh", "-c", f"{its} --version"])[1]:
        return its or default
    if name in words.typed:
        stop(2, f"{name} is '{its}', and must be a GCC of 11 or newer.")
    print(f"The environment's {name}, which is no GCC, is passed over.",
          file=sys.stderr)
    return default


class Here:
    def __init__(self, words):
        self.words, env = words, os.environ
        env.update((name, its) for name, its in words.settings.items()
                   if its and re.fullmatch(r"\w+", name))
        self.flags = re.split("(?:^| )-- ", env.get("MAKEFLAGS", ""))[0]
        self.level = env.get("MAKELEVEL", "")
        # Of an environment, what would change how scripts and programs read.
        for name in (*MAKES_OWN, "CDPATH", "POSIXLY_CORRECT"):
            env.pop(name, None)
        # A thread that has nothing to do leaves its core to who has, which on
        # two cores with two programs makes the references six times as fast.
        env.setdefault("OMP_WAIT_POLICY", "passive")
        if re.search(r"\s", words["CUDA_HOME"]):
            stop(2, f"CUDA_HOME is '{words['CUDA_HOME']}', and make cannot use "
                 "a path with a blank: name a link to it that has none, or "
                 "unset CUDA_HOME.")
        env["CC"] = words.settings["CC"] = compiler(words, "CC", "gcc")
        env["CXX"] = words.settings["CXX"] = compiler(words, "CXX", "g++")
        self.cuda = cuda_home()
        self.include = (f"{self.cuda}/include" if self.cuda
                        else cuda_home("--headers"))
        # It complains where the answer should be: only a number counts.
        its = re.search(r"(?m)^(\d+)\.(\d+)$", said(
            ["nvidia-smi", "--query-gpu=compute_cap",
             "--format=csv,noheader"])[1])
        # Of GPUs before 8.0 none runs the kernels: the program says so, if
        # forced.
        self.capability = (its[1] + its[2] if its and int(its[1]) > 7 else "")
        target = words["TARGET"] or "auto"
        if target not in ("auto", "gpu", "cpu"):
            stop(2, f"TARGET is gpu or cpu, not '{target}'.")
        self.target = target if target != "auto" else (
            "gpu" if self.cuda and self.capability else "cpu")
        # Hopper's own instructions need the architecture's name with an a.
        self.arch = words["ARCH"] or re.sub("^90$", "90a",
                                            self.capability or "90")
        if not re.fullmatch(r"\w+", self.arch):
            stop(2, "ARCH is one architecture, as in 90a, not "
                 f"'{self.arch}'.")
        env["ARCH"], env["HERE"] = self.arch, self.target
        env["NVCC"] = f"{self.cuda}/bin/nvcc" if self.cuda else ""
        self.use_ccache()

    def use_ccache(self):
        """Where ccache is, gcc, g++ and nvcc compile a file once for this tree
        and all copies of it, of which the tests make many. What it keeps lies
        in build/ccache, unless CCACHE_DIR names another place;
        CCACHE_DISABLE=1 does without."""
        env, root = os.environ, os.getcwd()
        # Debian's and Fedora's folders of links that are named like compilers.
        links = next(filter(os.path.isdir, (
            "/usr/lib/ccache", "/usr/lib64/ccache")), None)
        if not links:
            return
        if links not in env["PATH"].split(":"):
            env["PATH"] = f"{links}:{env['PATH']}"
        env.setdefault("CCACHE_DIR", f"{root}/build/ccache")
        env.setdefault("CCACHE_MAXSIZE", "2G")
        # The rules map this folder's name to a dot wherever an object would
        # have it. What is kept of a file is found by what it holds.
        env.update(CCACHE_BASEDIR=root, CCACHE_NOHASHDIR="1",
                   CCACHE_NOINODECACHE="1")

    def stage_of(self, name):
        """Itself, or the one that a lab or a hunt begins with."""
        if name == "bughunt":
            its = re.search("(?m)^STAGE=(.*)", text_of(
                f"{self.words['MINE']}/bughunt/hunt") or "")
            return its[1] if its else ""
        return self.words.labs.get(name, name)

    def architectures(self, name):
        """Those that a stage is for; a kernel that names none is for all."""
        return architectures(self.stage_of(name))

    def needs(self, stage, arch):
        """Why it cannot be built for that one, or nothing."""
        its = self.architectures(stage)
        capability = " or ".join(re.sub(r"(\d*)(\d)[a-z]*", r"\1.\2", one)
                                 for one in its)
        return its and arch not in its and (
            f"needs compute capability {capability} (ARCH="
            f"{' or '.join(its)}); this build is for ARCH={arch}.")

    @contextlib.contextmanager
    def turn(self, path):
        """What is done in it two makes in a tree do one after the other; with
        -n nothing is done."""
        if self.words.dry:
            yield
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="ascii") as file:
            lock(file, "Waiting for another make here.")
            yield

    def build(self, *targets, jobs=0):
        """Lets make build them, which says what is wrong; its end is this
        program's."""
        targets = list(dict.fromkeys(targets))
        for target in targets:
            its = re.match(r"build/gpu/([^/]+)/[^/]+/(?:sm_(\w+))?", target)
            why = its and self.needs(its[1], its[2] or self.arch)
            if why:
                stop(3, f"{its[1]} {why} TARGET=cpu runs it on the CPU.")
        if not targets:
            return
        command = [os.environ.get("MAKE") or "make", "--no-print-directory",
                   "-f", "tools/make/rules.mk",
                   *([f"-j{jobs}"] if jobs and "-j" not in self.flags else []),
                   *(f"{name}={its}" for name, its in (
                       ("HERE", self.target), ("ARCH", self.arch),
                       ("CC", os.environ["CC"]), ("CXX", os.environ["CXX"]),
                       ("CUDA", self.cuda), ("CUDA_INCLUDE", self.include),
                       ("V", self.words["V"]),
                       ("TARGETS", " ".join(targets))) if its), "targets"]
        env = {**os.environ, "MAKEFLAGS": self.flags, "MAKELEVEL": self.level}
        with self.turn("build/.lock"):
            # What it starts shares the outer make's jobs, and gets the signals
            # that Python handles as this program got them.
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            code = call(command, env=env, close_fds=False,
                        restore_signals=False)
        if code:
            sys.exit(code)
