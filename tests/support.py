"""Trees to run commands in: the one at hand, and copies to do things to."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path += [f"{ROOT}/{its}" for its in (
    "tools/common", "tools/source", "tools/results", "book")]
from facts import ladder
from toggles import others_of, toggles_of

# What the make that runs the tests has set for itself.
MAKES_OWN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "GOALS",
             "SHAPES", "ITERS", "JSON", "SEED")


class Ran(NamedTuple):
    code: int
    text: str  # both streams


def run(command, folder=ROOT, timeout=900, **environment):
    """Runs a line for the shell, or a list of words. A value of None unsets a
    variable. What is still running after `timeout` seconds is killed."""
    set_to = {**os.environ, "CCACHE_DIR": os.environ.get(
        "CCACHE_DIR", str(ROOT / "build/ccache")), **environment}
    for name in MAKES_OWN:
        if name not in environment:
            set_to[name] = None
    process = subprocess.Popen(
        command, shell=isinstance(command, str), cwd=folder,
        env={k: str(v) for k, v in set_to.items() if v is not None},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    try:
        text, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text, _ = process.communicate()
        text += f"\nkilled after {timeout} s".encode()
    code = process.returncode
    return Ran(128 - code if code < 0 else code, text.decode(errors="replace"))


class Tree:
    """A folder with the sources; paths are relative to it."""

    def __init__(self, path=ROOT, **environment):
        self.path = Path(path)
        self.environment = environment

    def run(self, command, **more):
        return run(command, self.path, **{**self.environment, **more})

    def ends(self, command, code=0, *says, never=(), **more):
        """The command ends with this code, says each of these texts, and none
        of those in `never`. Returns what it says."""
        ran = self.run(command, **more)
        tail = f"$ {command}\n{ran.text[-6000:]}\nexit code {ran.code}"
        assert ran.code == code, tail
        for text in says:
            assert text in ran.text, f"not said: {text}\n{tail}"
        for text in [never] if isinstance(never, str) else never:
            assert text not in ran.text, f"said: {text}\n{tail}"
        return ran.text

    def make(self, words, code=0, *says, **more):
        """`make WORDS`, as a reader types it."""
        return self.ends(f"make {words}", code, *says, **more)

    def read(self, path):
        return (self.path / path).read_text()

    def write(self, path, text):
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def append(self, path, text):
        self.write(path, self.read(path) + text)

    def script(self, path, body):
        self.write(path, "#!/bin/sh\n" + body).chmod(0o755)

    def edit(self, path, old, new, count=-1):
        """Replaces a text, which must be there."""
        text = self.read(path)
        assert old in text, f"{path} has no {old!r}"
        self.write(path, text.replace(old, new, count))

    def json(self, path):
        return json.loads(self.read(path))

    def exists(self, path):
        return (self.path / path).exists()

    def only_stage(self, *stages):
        """The other stages are gone, and what was built of them."""
        for stage in STAGES:
            if stage not in stages:
                self.run(f"rm -rf {folder_of(stage)} build/*/{stage}")


def made_up(tree, goals, target, code=0, *says, **more):
    """What make does for these goals in a tree in which nothing has to be
    built: the programs are there."""
    if not tree.exists("tools"):
        shutil.copytree(ROOT / "tools", tree.path / "tools")
    tree.write(f"{stage(1)}/kernel.cu", "")
    return tree.ends("python3 -S tools/make", code, *says, GOALS=goals,
                     MAKEFLAGS=f"-- TARGET={target}", MAKE="true",
                     COMMIT="abc", **more)


def same_in_c(folder, header, structures):
    """Structures of ctypes, by their names in C, lie in memory as a header has
    them."""
    program, offsets = f'#include "{header}"\n#include <stdio.h>\n', []
    program += "#include <stddef.h>\nint main(void) {\n"
    for kind, structure in structures.items():
        program += f'printf("%zu\\n", sizeof({kind}));\n'
        offsets.append(ctypes.sizeof(structure))
        for field, _ in structure._fields_:
            program += f'printf("%zu\\n", offsetof({kind}, {field}));\n'
            offsets.append(getattr(structure, field).offset)
    Tree(folder).write("layout.c", program + "}\n")
    headers = run("tools/setup/cuda-home.sh --headers").text.strip()
    Tree().ends(f"${{CC:-gcc}} -std=c11 -I. -isystem {headers} "
                f"-o {folder}/layout {folder}/layout.c")
    said = Tree().ends(f"{folder}/layout")
    assert said.split() == [str(offset) for offset in offsets]


def copy(to, built=True):
    """A copy of the tree: the files that git knows or would, what setup has
    installed, and, where `built`, what was built of default variants."""
    skip = ("tests", "book", "ccache", "labs", "lines")
    script = f"""
      mkdir -p "{to}"
      {{ git ls-files -co --exclude-standard 2>/dev/null || find . \\
        -name build -prune -o -name '.?*' -prune -o -type f -print; }} |
        while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
        tar -cf - -T - | tar -xf - -C "{to}"
      [ ! -d .deps ] || ln -s "$PWD/.deps" "{to}/.deps"
      """
    if built:
        script += f"""
      [ ! -d build ] || tar -cf - --exclude='build/*/stage*/[A-Z]*' \\
        {' '.join(f"--exclude=build/{s}" for s in skip)} build |
        tar -xf - -C "{to}"
      """
    ran = run(script)
    assert ran.code == 0, ran.text
    return Tree(to)


STAGES = ladder()


def stage(number):
    """The name of the stage with this number."""
    return next(s for s in STAGES if s.startswith(f"stage{number}_"))


def folder_of(name):
    """Where a stage's kernel.cu lies, relative to the tree's root."""
    return next(f for f in (name, f"further/{name}") if (ROOT / f).is_dir())


def one_of_each(stage):
    """A setting of each toggle of a stage but the details."""
    toggles, seen = toggles_of(stage), set()
    for name, value in others_of(toggles):
        if toggles[name].layer != "detail" and name not in seen:
            seen.add(name)
            yield name, value


def path_with(folder, programs):
    """A PATH with these programs alone, where they are, and this Python."""
    folder.mkdir(exist_ok=True)
    for name in programs.split():
        if its := shutil.which(name):
            (folder / name).symlink_to(its)
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    return str(folder)


def have(program):
    return run(f"command -v {program}").code == 0
