#!/usr/bin/env python3
"""The executor and what programs need of it, in a folder that can be put
anywhere:  pack.py FOLDER CUDA_INCLUDE OBJECT..."""

import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))
from command import answer, end, said, stop  # noqa: E402

IMPOSSIBLE = 3
NOT_SCRIPTS = ("pack.py", "simt_check.py")  # the second has another name there
HEADERS = ("common/simt/include", "common/simt/host", "build/simt-include")
# What programs include beside what the executor does, where CUDA has it.
INCLUDED = ("cuda.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_profiler_api.h",
            "math_constants.h", "nvtx3/nvToolsExt.h", "driver_functions.h")
NEEDED = ("dw", "elf", "jansson")
OFTEN = ("lzma", "bz2", "z", "zstd")  # what libdw itself is made with


def archives(compiler):
    for name in NEEDED + OFTEN:
        path = answer([compiler, f"-print-file-name=lib{name}.a"]).strip()
        if os.path.isabs(path):
            yield path
        elif name in NEEDED:
            stop(IMPOSSIBLE, f"There is no lib{name}.a here, and the folder "
                 "has to hold it: Debian has it in the package whose header "
                 "'make setup' installs.")


def main(folder, cuda, *objects):
    new = Path(f"{folder}.{os.getpid()}")
    shutil.rmtree(new, ignore_errors=True)
    for headers in HEADERS:
        shutil.copytree(headers, new / headers.removeprefix("build/"),
                        ignore=lambda _, names: [n for n in names
                                                 if n.endswith(".c")])
    plain = shlex.split(os.environ["PROGRAM_PLAIN"])
    words = [w for name in INCLUDED if os.path.exists(f"{cuda}/{name}")
             for w in ("-include", name)]
    named = answer([*plain, *words, "-M", "/dev/null"]) or stop(
        1, "The compiler does not read CUDA's headers.")
    for header in re.findall(r"\S+", named):
        if header.startswith(cuda + "/"):
            to = new / "cuda" / header.removeprefix(cuda + "/")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(header, to)
    code, text = said([plain[0], "-r", "-nostdlib", "-o",
                       str(new / "executor.o"), *objects, "-Wl,--start-group",
                       *archives(plain[0]), "-Wl,--end-group"])
    if code:
        stop(1, text + "The executor does not link.")
    flags = {}
    for name in "PROGRAM_PLAIN", "PROGRAM_WATCHED":
        flags[name] = re.sub(
            r"-ffile-prefix-map=\S+ ?", "", os.environ[name]).replace(
            cuda, "@/cuda").replace("-Ibuild/", "-I@/").replace(
            "-include common", "-include @/common").replace(
            "-Icommon", "-I@/common").replace("-I. ", "-I@ ")
    flags["PROGRAM_LINK"] = (f"{plain[0]} -no-pie @/executor.o -lpthread -ldl "
                             "-lm")
    (new / "flags.json").write_text(json.dumps(flags, indent=1) + "\n")
    for file in (Path("LICENSE"), Path("tools/common/command.py"),
                 *Path("tools/program").glob("*.py")):
        if file.name not in NOT_SCRIPTS:
            shutil.copyfile(file, new / file.name)
    shutil.copyfile("tools/program/simt-check.md", new / "README.md")
    shutil.copy("tools/program/simt_check.py", new / "simt-check")
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(new, folder)
    size = sum(f.stat().st_size for f in Path(folder).rglob("*"))
    print(f"{folder} is complete, {size / 1e6:.0f} MB: {folder}/simt-check "
          "race FILE.cu")


if __name__ == "__main__":
    end(main, *sys.argv[1:])
