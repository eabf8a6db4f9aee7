"""Installs what is missing, as pins.conf names it, and nothing else:
  setup.sh [core|book|tests|peers|model|cluster|aarch64]...
OFFLINE in the environment: a folder that downloads.py has filled, and from
which all of it is taken.
Debian packages by apt-get when root, else it prints the line to hand to an
administrator. Where there is no CUDA toolkit that is new enough, NVIDIA's
wheels go to .deps/cuda, no root needed; the book's pandoc goes to .deps, too.
First comes what `make stage1 bench` needs, then the book's and the tests'
packages.
Only when asked for come peers, PyTorch, cuDNN's frontend and
FlashAttention-3 for `make peers`; model, that of
`make tensors`; cluster, OpenMPI and NCCL for stage18_ring; and aarch64, with
which tests/aarch64 tries the executor for that processor.
Exit: 0 all that was asked for is here (with nothing asked: core); 1 a step
failed; 2 usage; 3 something needs other hands."""

import glob
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import Callable, NamedTuple

from pins import (DEPS, GROUPS, ROOT, SETUP, aarch64_pins, packages_of, pinned,
                  requirements, script, stamped)
from command import end, lock, said, stop, text_of, write
from ready import ready

OFFLINE = os.environ.get("OFFLINE") and os.path.abspath(
    os.environ["OFFLINE"])
# What apt-get and pip are told beside the rest
APT, PIP = ["-q", "-y"], ["--no-input", "--only-binary", ":all:"]
CAUSES = [
    ("No space left|Errno 28|enough free space", "the disk is full"),
    ("DO NOT MATCH THE HASHES",
     "what came is not the file that is pinned, and was not taken"),
    ("Hashes are required", "it is not pinned for a machine of this kind"),
    ("ensurepip is not available",
     "it takes a python3 with venv (Debian's python3-venv)"),
    ("No matching distribution|Unable to locate|no installation candidate|"
     "Failed to fetch" if OFFLINE else "(?!)",
     f"'{OFFLINE}' does not hold it; 'make downloads' adds what it lacks"),
    ("No matching distribution|Max retries|resol[uv]|onnection|timed out|"
     "unreachable|Failed to fetch",
     "the network did not answer; check the connection and the proxy"),
    ("Unable to locate|no installation candidate",
     "apt's lists do not have them: no network, or a source is not enabled")]
TRIAL = r"""command -v g++ >/dev/null || exit 0
printf '#include <cuda_runtime.h>\n#include <cuda_fp8.h>\nint main(void) {}\n' \
  >trial.cu
g++ -fsyntax-only -Iinclude -x c++ trial.cu && { [ ! -x bin/nvcc ] ||
  bin/nvcc -o trial trial.cu -gencode arch=compute_90a,code=sm_90a; } &&
  rm -f trial* && exit
echo "the pinned CUDA toolkit does not compile with this g++ and C library"
exit 1"""


def step(sentence, *commands, folder=DEPS, **more):
    """Runs commands up to the first that fails, and says why; what they say
    goes to a log in the folder. A terminal sees seconds."""
    begun, tty = time.monotonic(), sys.stdout.isatty()
    log, failed = f"{folder}/setup.log", f"{folder}/failed.log"
    print(sentence, end="\r" if tty else "\n", flush=True)
    for command in commands:
        with open(log, "w", encoding="utf-8") as file:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT, start_new_session=True, **more)
        try:
            while process.poll() is None:
                if tty:
                    print(f"{sentence}: {time.monotonic() - begun:.0f} s ",
                          end="\r", flush=True)
                time.sleep(0.1)
        finally:  # with all that it has started
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        if process.returncode:
            os.replace(log, failed)
            text = text_of(failed)
            why = next((why for form, why in CAUSES if re.search(form, text)),
                       "".join(text.strip().splitlines()[-1:]))
            print(f"\nThis failed: {why}. Run it again and it goes on from "
                  f"here (log: {failed}).", file=sys.stderr)
            return False
    print("\n" * tty, end="")
    return True


# ---- Debian packages

def set_to(*settings):
    return [word for its in settings for word in ("-o", its)]


def lists(*options):
    """A source that fails may be one that nothing is taken from: go on
    without."""
    return ["sh", "-c", '"$@" || echo "the lists could not all be read"', "sh",
            "apt-get", *APT, *options, "update"]


def download(*words):
    return ["apt-get", *APT, *words[:-1], "--download-only",
            "--no-install-recommends", "install", *words[-1]]


def known(name):
    """Whether apt's lists here hold it."""
    return re.search("Candidate: [^(]", said(
        ["apt-cache", *APT[2:], "policy", name])[1])


def hand_over(names):
    apt = " ".join(["  sudo apt-get", *APT[2:]])
    if shutil.which("apt-get"):
        print("Hand these lines to an administrator, and then run setup again:"
              f"\n{apt} update\n{apt} install -y --no-install-recommends "
              f"{' '.join(names)}")
    else:
        print("There is no apt-get here. Install what these Debian packages "
              f"hold:\n  {' '.join(names)}")


# ---- what pip installs

def remove(*paths):
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)


def pip(title, environment, text, *options):
    """Into an environment, which is made where there is none, or with --target
    into a folder. What has come is kept until all is here."""
    write(f"{DEPS}/tmp/pins", text)
    return (os.path.exists(f"{environment}/bin/pip") or step(
        "Making a Python environment", [sys.executable, "-m", "venv",
                                        environment])) and step(title, [
            f"{environment}/bin/python", "-m", "pip", "install", *PIP, *options,
            "--cache-dir", f"{DEPS}/cache", "-r", f"{DEPS}/tmp/pins"],
        env={**os.environ, "TMPDIR": f"{DEPS}/tmp", "PIP_USER": "0",
             "PIP_REQUIRE_VIRTUALENV": "0", "PIP_RETRIES": "2",
             "PIP_DISABLE_PIP_VERSION_CHECK": "1"})


class Piece(NamedTuple):
    name: str
    here: Callable
    install: Callable
    sets: tuple = ()    # of wheels, or of one environment
    options: tuple = ()  # of pip, for these


PINNED = "--no-deps", "--require-hashes"


def wheels(name, what, here, place, inner, *sets):
    """Of what these sets hold the folder `inner` becomes one of .deps."""
    def install():
        text, new = requirements(*sets), f"{DEPS}/new"
        size = sum(int(line.split()[2]) for its in sets
                   for line in pinned(f"wheel {its}"))
        remove(new)
        if not pip(f"{what}, {size} MB", f"{DEPS}/pip", text, *PINNED,
                   "--target", new):
            return False
        its = os.path.join(new, inner)
        if "headers" in sets:
            os.symlink("lib", f"{its}/lib64")
            if not step("CUDA toolkit: trying it", ["sh", "-c", TRIAL],
                        cwd=its):
                return False
            write(f"{its}/stamp", text)
        older = place.rpartition("-")[0] or place
        remove(f"{DEPS}/{place}", *glob.glob(f"{DEPS}/{older}-*"))
        os.rename(its, f"{DEPS}/{place}")
        remove(new)
        return True
    return Piece(name, here, install, sets, PINNED)


def wheel(name, what, its, here=None):
    """The only one of a set: a folder of its own, as PACKAGE-VERSION."""
    place = "-".join(pinned(f"wheel {its}")[0].split()[:2])
    return wheels(name, what, here or (
        lambda: os.path.isdir(f"{DEPS}/{place}")), place, "", its)


def environment(name, what, size, group, *options):
    """One of Python's, stamped when it is whole."""
    def install():
        folder, text = f"{DEPS}/{group}", requirements(group)
        remove(folder)
        names = " ".join(line.split()[0] for line in text.splitlines())
        done = pip(f"{what}: {names}, {size}", folder, text, *options)
        if done:
            write(f"{folder}/stamp", text)
        return done
    return Piece(name, lambda: stamped(group, requirements(group)), install,
                 (group,), options)


# ---- libraries for aarch64, with which the executor is linked

def aarch64(work, archives):
    """Commands that fetch them into a folder, with all that they depend on.
    What apt keeps for it lies in `work`: this machine's own packages are not
    touched. The C library comes with the cross compiler, so apt is told that it
    is there."""
    for folder in f"{work}/lists/partial", f"{archives}/partial":
        os.makedirs(folder, exist_ok=True)
    write(f"{work}/status", "".join(
        f"Package: {name}\nStatus: install ok installed\nArchitecture: arm64\n"
        "Multi-Arch: same\nVersion: 99\nMaintainer: -\nDescription: -\n\n"
        for name in ("libc6", "libc6-dev", "libgcc-s1")))
    options = set_to(
        "APT::Architecture=arm64", "APT::Architectures=arm64",
        f"Dir::State::status={work}/status", f"Dir::Cache={work}",
        f"Dir::State::Lists={work}/lists", "Debug::NoLocking=1",
        f"Dir::Cache::archives={archives}/", "APT::Sandbox::User=root",
        "Acquire::Languages=none")
    return lists(*options), download(*options, [
        line.split()[0] for line in aarch64_pins().splitlines()])


def install_aarch64():
    new = f"{DEPS}/aarch64.new"
    if not shutil.which("apt-get"):
        return True
    remove(new)
    if not step("Libraries for aarch64, 10 MB", *aarch64(
            f"{new}/apt", f"{new}/debs"), [
                "sh", "-c", 'for deb in "$0"/debs/*.deb; do dpkg-deb -x "$deb" '
                '"$0" || exit; done', new]):
        return False
    remove(f"{new}/apt", f"{new}/debs")
    write(f"{new}/stamp", aarch64_pins())
    remove(f"{DEPS}/aarch64")
    os.rename(new, f"{DEPS}/aarch64")
    return True


# ---- all of it

TOOLKIT = "headers", "nvcc", "disassembler"


def toolkit_here():
    """A good one; if it is ours, is it what is pinned?"""
    its = script("cuda-home.sh")
    return its and (not its.startswith(DEPS)
                    or stamped("cuda", requirements(*TOOLKIT)))


def with_compiler(name):
    """Without one there is nothing to disassemble, and no program for GPUs."""
    return lambda: not script("cuda-home.sh") or not said(
        [f"{SETUP}/{name}"])[0]


PIECES = {
    "core": [wheels("CUDA-toolkit", "The CUDA toolkit", toolkit_here, "cuda",
                    "nvidia/cu13", *TOOLKIT)],
    "book": [wheel("pandoc", "The book's pandoc", "pandoc")],
    "tests": [wheels("nvdisasm", "The disassembler",
                     with_compiler("disassembler.sh"), "disassembler",
                     "nvidia/cu13", "disassembler"),
              environment("pytest", "pytest, Playwright and check-jsonschema",
                          "60 MB", "tests")],
    "peers": [environment("PyTorch", "PyTorch for make peers", "3 GB", "peers"),
              wheel("FlashAttention-3", "FlashAttention-3", "fa3")],
    "model": [environment("model", "make tensors", "105 MB", "model",
                          "--no-deps")],
    "cluster": [wheel("NCCL", "NCCL", "nccl", with_compiler("nccl-home.sh"))],
    "aarch64": [Piece("libraries-for-aarch64", lambda: stamped(
        "aarch64", aarch64_pins()), install_aarch64)]}


def machine_kind():
    """What this machine is to packages, as in "debian 12 x86_64"."""
    its = platform.freedesktop_os_release()
    return f"{its['ID']} {its.get('VERSION_ID', '')} {platform.machine()}"


def use_offline():
    """Whatever is fetched comes from that folder."""
    machine = text_of(f"{OFFLINE}/machine")
    if machine is None or not os.path.isdir(f"{OFFLINE}/wheels"):
        stop(2, f"OFFLINE is '{OFFLINE}', which is no folder that 'make "
             "downloads DIR=...' has filled.")
    if machine.strip() != machine_kind():
        stop(3, f"What '{OFFLINE}' holds is for {machine.strip()}, and this is "
             f"{machine_kind()}.")
    # A path of ours, for the folder's own may have blanks.
    link = f"{DEPS}/offline"
    if os.path.lexists(link):
        os.remove(link)
    os.symlink(OFFLINE, link)
    os.makedirs(f"{DEPS}/lists/partial", exist_ok=True)
    write(f"{link}.list", f"deb [trusted=yes] copy:{link}/debs ./\n")
    APT.extend(set_to(
        f"Dir::Etc::SourceList={link}.list", "Dir::Etc::SourceParts=-",
        f"Dir::State::Lists={DEPS}/lists", "APT::Sandbox::User=root"))
    PIP.extend(["--no-index", "--find-links", f"{link}/wheels"])


def check_groups(groups):
    for word in groups:
        if word not in GROUPS:
            stop(2, f"There is no group '{word}'; there are "
                 f"{', '.join(GROUPS)}.")


def set_executable():
    """A tree from a zip file has lost its executable bits."""
    for folder, below, names in os.walk("."):
        below[:] = [its for its in below if its not in (
            "build", ".git", ".deps")]
        for path in (os.path.join(folder, name) for name in names):
            if (text_of(path) or "")[:2] == "#!":
                os.chmod(path, os.stat(path).st_mode | 0o111)


def main(*asked):
    check_groups(asked)
    groups = asked or ("core", "book", "tests")
    os.chdir(ROOT)
    if not os.access("tools/setup/setup.sh", os.X_OK):
        try:
            set_executable()
        except OSError as reason:
            stop(1, f"{reason.filename} cannot be made executable.")
    ready(".deps")
    try:
        os.makedirs(DEPS, exist_ok=True)
        file = open(f"{DEPS}/setup.lock", "a", encoding="ascii")
    except OSError:
        stop(1, f"{DEPS} cannot be written.")
    with file:
        lock(file, "Another setup runs in this tree: waiting for it.")
        return install(groups, asked or ("core",))


def missing(group):
    return [its.name for its in packages_of(group) if not its.good()]


def install(groups, asked):
    if OFFLINE:
        use_offline()
    apt, root = shutil.which("apt-get"), said(["id", "-u"])[1] == "0\n"
    failed, handed, code, all_here = set(), [], 0, True
    if apt and root and any(map(missing, groups)):
        step("Reading the lists of Debian packages", lists())
    for group in groups:
        names, fine = missing(group), True
        if apt:  # all where it has no lists
            names = [*filter(known, names)] or names
        if names and apt and root:
            fine = step(f"Installing Debian packages ({group}): "
                        f"{' '.join(names)}", [
                            "apt-get", *APT, "-o", "DPkg::Lock::Timeout=120",
                            "install", "--no-install-recommends", *names],
                        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        else:
            handed += names
        for piece in PIECES[group]:
            fine = (piece.here() or piece.install()) and fine
        if not fine:
            failed.add(group)
    if not failed:
        remove(*(f"{DEPS}/{its}" for its in ("cache", "pip", "tmp")))
    if handed:
        hand_over(handed)
    for group in groups:
        lacking = missing(group) + [its.name for its in PIECES[group]
                                    if not its.here()]
        if lacking:
            print(f"Missing or too old for {group}: {' '.join(lacking)}")
            all_here = False
            if group in asked:
                code = 1 if group in failed else 3
    if all_here:
        print("Everything is here.")
    return code


if __name__ == "__main__":
    end(main, *sys.argv[1:])
