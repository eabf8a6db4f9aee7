"""What tools in Python do with other programs and with files, and how they
end. What they have in common lies in a few folders, which are found from
here."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path += [f"{TOOLS}/{its}" for its in ("source", "results", "toggles",
                                          "resources")]


class Refusal(Exception):
    """Why a program ends: one sentence."""


def stop(code, sentence):
    sys.stdout.flush()
    print(sentence, file=sys.stderr)
    sys.exit(code)


def did_you_mean(word, known):
    import difflib
    its = difflib.get_close_matches(word, known, 1)
    return f" Did you mean '{its[0]}'?" if its else ""


def call(words, **more):
    """The exit code of a command, as a shell says it. Ctrl-C reaches it by
    itself; whatever else ends this program ends it as well."""
    sys.stdout.flush()
    try:
        process = subprocess.Popen(words, **more)
    except OSError as reason:
        print(f"{words[0]}: {reason.strerror}", file=sys.stderr)
        return 127
    try:
        code = process.wait()
    except KeyboardInterrupt as its:
        if its.args:
            process.send_signal(its.args[0])
        process.wait()
        raise
    return 128 - code if code < 0 else code


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


def answer(words, **more):
    """What a command writes, byte for byte; None where it fails."""
    ran = subprocess.run(words, stdout=subprocess.PIPE, check=False, **more)
    return (None if ran.returncode
            else ran.stdout.decode(errors="surrogateescape"))


def output(*words):
    """As `answer`, of a command that does not fail."""
    text = answer(words)
    assert text is not None, f"{words} failed"
    return text


def lock(file, says):
    """Waits until nobody else has it, and says why."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(says, file=sys.stderr)
        fcntl.flock(file, fcntl.LOCK_EX)


def nvdisasm():
    """Where that program is, or nothing."""
    code, text = said(["tools/setup/disassembler.sh"])
    return shutil.which("nvdisasm") if code else text.partition("\n")[0]


def cuda_home(*words):
    """The CUDA toolkit, or with --headers its headers; nothing where there are
    none."""
    return (answer(["tools/setup/cuda-home.sh", *words],
                   stderr=subprocess.DEVNULL) or "").strip()


def commit():
    """The source that is measured; COMMIT names it where git cannot."""
    return os.environ.get("COMMIT") or (answer(
        ["git", "describe", "--always", "--dirty"],
        stderr=subprocess.DEVNULL) or "unknown").strip()


def cuda_on_path():
    """What lies beside nvcc, perhaps, and not on the PATH."""
    if home := cuda_home():
        os.environ["PATH"] += f":{home}/bin"


def python_of_peers():
    """The Python that setup made for PyTorch, else python3."""
    ours = ".deps/peers/bin/python"
    return ours if os.access(ours, os.X_OK) else "python3"


def folder_of(stage):
    """Where the files of a stage lie, from the root of the tree."""
    further = f"further/{stage}"
    return further if os.path.exists(f"{further}/kernel.cu") else stage


def kernel_path(stage):
    return f"{folder_of(stage)}/kernel.cu"


def results_of_today(*program):
    """results/DEVICE/DATE, by a program that says the device's name; None where
    it cannot, which it has said."""
    device = answer(program)
    return device and (f"results/{device.strip()}/"
                       + time.strftime("%Y-%m-%d", time.gmtime()))


def text_of(path):
    """What a file holds, byte for byte; None where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape",
                  newline="") as file:
            return file.read()
    except OSError:
        return None


def write(path, text=None):
    """A file as a whole; the program's end, with one sentence, where it cannot
    be written. Without a text that is only tried, before the work."""
    aside = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if os.path.isdir(path):
            raise IsADirectoryError(0, "it is a folder")
        with open(aside, "w", encoding="utf-8",
                  errors="surrogateescape") as file:
            file.write(" " * 4096 if text is None else text)
        if text is not None:
            os.replace(aside, path)
    except OSError as reason:
        stop(3, f"Cannot write {path}: {reason.strerror}.")
    finally:
        if os.path.exists(aside):
            os.remove(aside)


def interrupted(number, _):
    raise KeyboardInterrupt(number)


def verb_of(usage, verbs, words):
    """What the function of a verb returns for the words behind it; the usage
    where there is no such verb, or not with so many words."""
    import inspect
    verb, *words = words or [""]
    try:
        inspect.signature(verbs[verb]).bind(*words)
    except (KeyError, TypeError):
        stop(2, usage)
    return verbs[verb](*words)


def end(main, *words, refused=1):
    """Ends the program with the exit code that a function returns, or with
    `refused` for a Refusal. What it has begun is cleaned up, whatever ends
    it."""
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, interrupted)
    sys.stdout.reconfigure(line_buffering=True, errors="surrogateescape")
    try:
        sys.exit(main(*words))
    except Refusal as reason:
        stop(refused, str(reason))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # nobody reads on, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
