"""Ctrl-C ends all that a command has started, and leaves no temporary files and
nothing that is half built."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support import MAKES_OWN

SLOW = ': >"$MARK"\nexec sleep 60\n'  # it runs, and does not end by itself


def alive(mark):
    """What still runs and has got MARK."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"MARK={mark}\0".encode() in (
                    process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes())
        except OSError:
            pass  # it has ended, or is another user's
    return [line for line in found if line]


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def interrupt(tree, folder, script, **environment):
    """What it says that gets the terminal's signal, once it works."""
    mark, temporary = folder / "mark", folder / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        ["sh", "-c", "trap : INT; " + script], cwd=tree.path, text=True,
        env={k: v for k, v in os.environ.items()
             if k not in (*MAKES_OWN, "CXX")} | {
            "MARK": str(mark), "TMPDIR": str(temporary),
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
        # Tests that run in the background have a deaf ear to it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        assert wait_until(mark.exists, 60), "it has not begun"
        os.killpg(process.pid, signal.SIGINT)
        assert wait_until(lambda: not alive(mark), 3), alive(mark)
    finally:
        if process.poll() is None and alive(mark):
            os.killpg(process.pid, signal.SIGKILL)
    said = process.communicate()[0]
    assert not list(temporary.iterdir()), "a temporary file is left"
    return said


@pytest.fixture
def slow(tmp_path):
    """Makes programs of these names slow; the folder of all that a test has."""
    def make(*names, body=SLOW):
        (tmp_path / "bin").mkdir(exist_ok=True)
        for name in names:
            program = tmp_path / "bin" / name
            program.write_text("#!/bin/sh\n" + body)
            program.chmod(0o755)
        return tmp_path
    return make


def test_a_build(sources, slow):
    interrupt(sources, slow("compiler"),
              "make build/tools/limited CC=compiler")
    assert not sources.exists("build/tools/limited")


def test_the_difference_of_two_stages(sources, slow):
    interrupt(sources, slow("git", "diff"), "make diff-stage1")


def test_pandoc_while_its_lua_runs(sources, slow):
    sources.write("busy.lua", """io.open(os.getenv 'MARK', 'w'):close()
local stop = os.time() + 30
while os.time() < stop do end""")
    sources.write("echo.lua", "print(io.read())")
    sources.ends("echo given | tools/setup/pandoc.sh lua echo.lua", 0, "given")
    interrupt(sources, slow(), "tools/setup/pandoc.sh lua busy.lua")


def test_the_book(sources, slow):
    folder = slow("chromium", body=(
        ': >"$MARK"\nmkdir "$TMPDIR/helper"\nsleep 60 &\nexec sleep 60\n'))
    out = sources.path / "out"
    interrupt(sources, folder, "mkdir -p out; "
              "book/build.py book tests/book/sample out/html")
    assert {p.name for p in out.iterdir()} <= {"cache"}, "half a book is left"


def test_libraries_beside_the_stages(sources, slow):
    sources.write("torch.py", """import os, time
open(os.environ["MARK"], "w").close()
time.sleep(60)
""")
    said = interrupt(sources, slow(),
                     "python3 tools/peers/peers.py run out x none.so",
                     PYTHONPATH=".")
    assert "Traceback" not in said
