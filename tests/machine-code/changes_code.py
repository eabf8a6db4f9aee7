#!/usr/bin/env python3
"""Does each toggle change the machine code?
changes_code.py STAGE [NAME=VALUE...]     all settings of a stage, or these
Says a line of each, compared with the same arm without it, or with the
default where what it needs beside it is ruled out without it. Exit 1: one
does not; 3: there is no nvcc."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import folder_of, run  # noqa: E402
sys.path.remove(str(Path(__file__).resolve().parent))  # another toggles.py
from toggles import beside, others_of, spelled, toggles_of  # noqa: E402

TOGGLES = "tools/toggles/toggles.py"


def cubins(stage, arms):
    """The machine code of each arm, compiled where it is not yet."""
    paths = {arm: "build/gpu/{}/sm_90a.cubin".format(
        f"{stage}/" + run(f"{TOGGLES} arm {stage} {arm}").text.strip())
        for arm in arms}
    made = run(f"make -s -k -j2 {' '.join(sorted(paths.values()))}")
    if made.code:
        sys.exit(made.text)
    return paths


def host_code(stage, arm):
    """What the CPU runs: a toggle may choose between kernels there. Strings
    and constants do not count."""
    nvcc = run("tools/setup/cuda-home.sh").text.strip() + "/bin/nvcc"
    defines = " ".join(f"-D{setting}" for setting in arm.split())
    with tempfile.TemporaryDirectory() as folder:
        made = run(f"{nvcc} -std=c++17 -O3 -I. --objdir-as-tempdir -gencode "
                   f"arch=compute_90a,code=sm_90a {defines} -c "
                   f"-o {folder}/kernel.o {folder_of(stage)}/kernel.cu && "
                   f"cd {folder} && objdump -d kernel.o")
    assert made.code == 0, made.text
    return made.text


def main(stage, settings):
    if run("tools/setup/cuda-home.sh").code:
        print("This needs nvcc 12.8 or newer: 'make setup' installs one.",
              file=sys.stderr)
        return 3
    pairs = {}
    toggles = toggles_of(stage)
    for setting in settings or [
            "=".join(its) for its in others_of(toggles)]:
        also = spelled(beside(stage, toggles, setting.split("=")))
        alone = run(f"{TOGGLES} allowed {stage} {also}").code == 0
        pairs[f"{setting} beside {also}" if also else setting] = (
            also if alone else "", f"{setting} {also}".strip())
    paths = cubins(stage, {arm for pair in pairs.values() for arm in pair})
    same = 0
    for number, (name, (base, arm)) in enumerate(pairs.items(), 1):
        code = [Path(paths[a]).read_bytes() for a in (base, arm)]
        differs = code[0] != code[1] or (
            host_code(stage, base) != host_code(stage, arm))
        same += not differs
        print(f"{'' if differs else 'not '}ok {number} - {stage}: {name} is "
              "other machine code")
    return 1 if same else 0


if len(sys.argv) < 2:
    sys.exit("usage: changes_code.py STAGE [NAME=VALUE...]")
sys.exit(main(sys.argv[1], sys.argv[2:]))
