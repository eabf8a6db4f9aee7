#!/usr/bin/env python3
"""A CUDA program with its own main, on the executor or on the GPU:
    program.py cpu|gpu FILES FLAGS ARGS LIMIT BLOCKS VERB...
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))
sys.path.append(str(Path(__file__).resolve().parent))
from command import cuda_on_path, end, said, stop  # noqa: E402
from rewrite import Rewriter  # noqa: E402
from widths import widths  # noqa: E402

LIMIT = 600         # seconds
NVCC = "nvcc -std=c++17 -O3 -lineinfo -arch=sm_90"
ENVIRONMENT = 100000  # bytes that fit into a variable
SHOWN = 5           # of the compiler's errors
FAILED, USAGE, IMPOSSIBLE = 1, 2, 3
# What the compiler does not know, and what it is part of.
FEATURES = [(r"\b(?:tex[123]D|texture|tex[123]D\w*|cudaTexture\w*|cudaArray\w*"
             r"|cudaMallocArray|cudaMemcpy\w*Array\w*|cudaCreateTexture\w*)",
             "textures"),
            (r"\b(?:surf[123]D\w*|cudaSurface\w*|cudaCreateSurface\w*)",
             "surfaces"),
            (r"\bcuda(?:User)?(?:Graph\w*|StreamBeginCapture|StreamEndCapture)",
             "graphs"),
            (r"\bcublas\w+", "cuBLAS but for its products"),
            (r"\bcudnn\w+", "cuDNN"),
            (r"\bcufft\w+", "cuFFT"), (r"\bcusparse\w+", "cuSPARSE"),
            (r"\bcurand\w*", "cuRAND"), (r"\bcuModule\w*|\bcuLaunch\w*",
                                         "the driver's interface"),
            (r"\b(?:cluster_group|this_cluster|cluster_dims)", "clusters")]
WITH_VALUE = ("-D", "-I", "-U", "-L", "-l", "-include", "-isystem")
FOR_GPP = re.compile(r"-([DIUWfl]|std=|include|isystem|L)")


def split(name, text):
    try:
        return shlex.split(text)
    except ValueError as reason:
        stop(USAGE, f"{name}={text} is not understood: {reason}.")


def feature_of(name):
    return next((what for pattern, what in FEATURES
                 if re.match(pattern, name)), None)


class Program:
    def __init__(self, files, flags, arguments, limit, blocks):
        self.files, self.flags = split("FILE", files), split("FLAGS", flags)
        self.arguments = split("ARGS", arguments)
        if not self.files:
            stop(USAGE, "FILE names a CUDA program, as in 'make race "
                 "FILE=mine/x.cu'; FLAGS= goes to the compiler and ARGS= to "
                 "the program.")
        if not re.fullmatch(r"[1-9]\d*|", limit):
            stop(USAGE, f"LIMIT is a number of seconds, not '{limit}'.")
        if not re.fullmatch(r"[1-9]\d{0,8}|", blocks):
            stop(USAGE, f"BLOCKS is a number of blocks, not '{blocks}'.")
        order = os.environ.get("SIMT_ORDER", "")
        order = {"forward": "0", "backward": "1"}.get(order, order)
        if not re.fullmatch(r"\d{1,18}|", order):
            stop(USAGE, "ORDER is forward, backward, or the seed of an order, "
                 f"not '{order}'.")
        os.environ["SIMT_ORDER"] = order
        self.limit, self.blocks = int(limit or LIMIT), blocks
        self.files = [os.path.normpath(os.path.expanduser(name))
                      for name in self.files]
        for name in self.files:
            if not os.path.isfile(name):
                stop(USAGE, f"There is no file {name}.")
        name = re.sub(r"[^\w.-]", "_", self.files[0])
        self.folder = Path(os.environ.get("PROGRAM_FOLDER",
                                          "build/program")) / name
        self.copies = {}

    # ---- the executor

    def flags_for_gpp(self):
        """nvcc's own flags mean nothing here."""
        kept, passed, words = [], [], iter(self.flags)
        for word in words:
            if FOR_GPP.match(word):
                kept.append(word)
                if word in WITH_VALUE:
                    kept.append(next(words, ""))
            else:
                passed.append(word)
        if passed:
            print(f"Not for the executor, and left out: {' '.join(passed)}")
        return kept

    def build(self, build):
        """The program for the executor, `plain` or `watched`."""
        folder = self.folder / build
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        flags = self.flags_for_gpp()
        compiler = shlex.split(os.environ[f"PROGRAM_{build.upper()}"])
        folders = re.findall(r"(?:^|\n)-I\n?(.+)", "\n".join(flags))
        rewriter = Rewriter(folder, folders)
        objects = []
        self.copies = rewriter.done
        for number, name in enumerate(self.files):
            copy = rewriter.file(name)
            objects.append(str(folder / f"{number}.o"))
            words = [*compiler, *flags, "-iquote",
                     os.path.dirname(name) or ".", "-c", "-o", objects[-1],
                     str(copy)]
            code, text = said(words)
            if code and "inlining failed" in text:  # it calls itself
                code, text = said([*words, "-DSIMT_NO_INLINING"])
            if code:
                self.not_compiled(name, text)
        program = str(folder / "program")
        link = shlex.split(os.environ["PROGRAM_LINK"])
        # Its shared variables before the executor's: at the lowest addresses.
        code, text = said([link[0], *objects, *link[1:],
                           *[w for w in flags if w[:2] in ("-l", "-L")],
                           "-o", program])
        if code:
            self.not_linked(text)
        return program

    def not_compiled(self, name, text):
        for at, error in re.findall(
                r"^(\S+:\d+):(?:\d+:)? (?:fatal )?error: (.*)", text, re.M):
            here = re.search(r"the executor has no (.*)|simt_has_no_(\w+)",
                             error)
            if here:
                stop(IMPOSSIBLE, f"{at}: the executor has no "
                     f"{here[1] or here[2].replace('_', ' ')}.")
            here = re.search(r"['‘](\w+)['’<].*(?:not declared|does not name"
                             r"|no type named|not been declared)", error)
            if here and feature_of(here[1]):
                stop(IMPOSSIBLE, f"{at}: the executor has no "
                     f"{feature_of(here[1])} ({here[1]}).")
        # Of our own headers, which a line of the program has called.
        ours = re.search(r"^\S*common/simt/\S+ error: (?:static assertion "
                         r"failed: )?(.*)", text, re.M)
        caller = re.findall(r"^(\S+\.cuh?:\d+):\d+: +required from here", text,
                            re.M)
        if ours and caller:
            stop(IMPOSSIBLE, f"{caller[0]}: the executor cannot do this: "
                 f"{ours[1]}.")
        errors = [*re.finditer(r"^(\S+?:\d+):.*?error: .*(?:\n(?: .*))*",
                               text, re.M)]
        for error in errors[:SHOWN]:
            print(error[0], file=sys.stderr)
        if not errors:
            print(text, file=sys.stderr)
        at = f": {len(errors)} errors, the first at {errors[0][1]}" if len(
            errors) > 1 else f": {errors[0][1]}" if errors else ""
        stop(USAGE, f"{name} does not compile{at}.")

    def not_linked(self, text):
        for name, copy in self.copies.items():
            text = re.sub(rf"\S*{re.escape(str(copy))}(?=:\d)", name, text)
        missing = re.findall(
            r"(?:^|\n)(?:\S+: )?(\S+:\d+): undefined reference to [`']([^'\n]+)'",
            text)
        if "undefined reference to `main'" in text:
            stop(USAGE, f"{' '.join(self.files)} has no main: FILE is a whole "
                 "program, or all files of one.")
        if not missing:
            print(text, file=sys.stderr)
            stop(USAGE, "The program does not link.")
        for at, name in missing[1:SHOWN]:
            if name != missing[0][1]:
                print(f"{at}: {name} is missing, too.", file=sys.stderr)
        at, name = missing[0]
        of = feature_of(name)
        stop(IMPOSSIBLE, f"{at}: the executor has no {name}"
             f"{f' ({of})' if of else ''}.")

    def on_executor(self, verb):
        program = self.build("plain" if verb == "run" else "watched")
        environment, says = {}, None
        if verb == "count":
            environment["SIMT_COUNT"] = "1"
            environment["SIMT_WIDTHS"], says = self.wide()
        environment["SIMT_FILES"] = "\n".join(["", *self.copies, ""])
        if self.blocks:
            environment["SIMT_BLOCKS"] = self.blocks
        failed = self.execute([program, *self.arguments], environment)
        if says:
            print(says)
        return IMPOSSIBLE if self.code == IMPOSSIBLE else failed

    def wide(self):
        nvcc = shlex.split(os.environ.get("PROGRAM_NVCC", NVCC))
        found = widths([*nvcc, *self.flags], self.files,
                       {os.path.realpath(n): n for n in self.copies},
                       self.folder)
        if found is None:
            return "", ("Counted are the accesses of the source. nvcc may "
                        "merge neighbours into wider ones, which a GPU counts "
                        "once; it cannot say so here.")
        return "\n".join(["", *found, ""])[:ENVIRONMENT], (
            "Counted are the accesses of the source" +
            ("; where nvcc makes wider ones of them, that stands below the "
             "line." if found else ", and nvcc makes no wider ones of them."))

    # ---- a GPU

    def libraries(self):
        """What the executor has without a word, nvcc must be told."""
        texts = (Path(file).read_text(encoding="utf-8", errors="replace")
                 for file in self.files)
        return ["-lcublas"] if any(re.search(r'#\s*include\s*[<"]cublas', text)
                                   for text in texts) else []

    def on_gpu(self, verb):
        self.folder.mkdir(parents=True, exist_ok=True)
        program = str(self.folder / "gpu")
        code = subprocess.run([*shlex.split(os.environ["PROGRAM_NVCC"]),
                               *self.flags, "-o", program, *self.files,
                               *self.libraries()],
                              check=False).returncode
        if code:
            stop(USAGE, f"{' '.join(self.files)} does not compile with nvcc.")
        if not os.environ["PROGRAM_CAPABILITY"]:
            stop(IMPOSSIBLE, f"{program} is built, but no GPU is here to run "
                 "it; TARGET=cpu runs it on the executor.")
        if verb == "run":
            return self.execute([program, *self.arguments], {})
        cuda_on_path()
        if verb == "count":
            ncu = shutil.which("ncu")
            if not ncu:
                stop(IMPOSSIBLE, "ncu, which counts on a GPU, is not here; "
                     "TARGET=cpu counts on the executor.")
            return self.execute([ncu, "--set", "full", program,
                                 *self.arguments], {})
        checker = shutil.which("compute-sanitizer")
        if not checker:
            stop(IMPOSSIBLE, "compute-sanitizer is not here; TARGET=cpu looks "
                 "for races on the executor.")
        codes = [self.execute([checker, "--tool", tool, "--error-exitcode",
                               "1", program, *self.arguments], {})
                 for tool in ("memcheck", "racecheck", "synccheck",
                              "initcheck")]
        return max(codes)

    # ---- running

    def execute(self, words, environment):
        sys.stdout.flush()
        name = self.files[0]
        memory = available()
        begun = time.monotonic()
        process = subprocess.Popen(words, env={**os.environ, **environment})
        why = None
        try:
            while process.poll() is None and not why:
                time.sleep(0.02)
                if time.monotonic() - begun > self.limit:
                    why = (f"was stopped after {self.limit} s; LIMIT=SECONDS "
                           "gives it more")
                elif resident(process.pid) > memory:
                    why = (f"was stopped: it had used the {memory >> 30} GiB "
                           "of memory that were free")
            if why:  # it says what it has found
                process.terminate()
                process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if why:
            stop(FAILED, f"{name} {why}.")
        if process.returncode < 0:
            number = -process.returncode
            stop(FAILED, f"{name} was ended by a signal: "
                 f"{signal.strsignal(number)}.")
        self.code = process.returncode
        return FAILED if self.code else 0


def available():
    for line in open("/proc/meminfo", encoding="ascii"):
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024 * 9 // 10
    return 1 << 62


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def main(target, files, flags, arguments, limit, blocks, *verbs):
    program = Program(files, flags, arguments, limit, blocks)
    act = program.on_gpu if target == "gpu" else program.on_executor
    return max(act(verb) for verb in verbs)


if __name__ == "__main__":
    end(main, *sys.argv[1:])
