"""What the executor cannot say: whether a toggle does something, what nvcc
allots, and, where there is a GPU, how long it takes."""

import functools
import json
import os
import re
import sys

from command import output, said, stop, text_of
from programs import COMPILE_SECONDS, SECONDS, build_error, complaint, make, run

sys.path.append(os.path.join(os.path.dirname(__file__), "../resources"))
from resources import facts, report


def machine_code(path):
    """The instructions alone: the object also holds the toggle's own text."""
    return output("objdump", "-d", "--no-show-raw-insn", path).split("\n", 3)[3]


@functools.cache
def listed(name):
    """Asked once: while a grade goes on its kernel stays as it is."""
    return said(["tools/toggles/toggles.py", "list", f"build/labs/{name}"])


def values_of(lab):
    """Of each toggle that the reader's kernel declares its values, the default
    first."""
    code, text = listed(lab.name)
    if code and lab.file == "kernel.cu":
        stop(2, text.strip())
    return {name: list(dict.fromkeys(values)) for name, *values in map(
        str.split, () if code else text.splitlines())}


def judge_toggle(grade, toggle, scratch):
    lab, seen = grade.lab, {}
    name, values = f"toggle {toggle}", values_of(lab).get(toggle, ())
    if len(values) < 2:
        return grade.add(name, False, "kernel.cu declares no such toggle with "
                         "two values", "the region toggles")
    for value in values:
        arm = "default" if value == values[0] else f"{toggle}-{value}"
        path = f"build/cpu/{lab.name}/{arm}/kernel.o"
        if arm != "default" and not make(f"{scratch}/log", path).fine():
            return grade.add(name, False, f"with {value} it does not compile",
                             f"make {lab.name} check {toggle}={value}")
        code = machine_code(path)
        if code in seen:
            return grade.add(
                name, False, f"{seen[code]} and {value} give the same machine "
                "code: it does nothing",
                f"where {lab.mine} asks for {toggle}")
        seen[code] = value
    return grade.add(name, True, f"{', '.join(values)} give different machine "
                     "code")


NO_NVCC = "nvcc is not here, or LAB_NVCC=0"


def has_nvcc():
    return os.environ.get("NVCC") and os.environ.get("LAB_NVCC") != "0"


def judge_program(grade, scratch, file):
    """What g++ takes and nvcc refuses."""
    log = f"{scratch}/log"
    fine = run(log, COMPILE_SECONDS, os.environ["NVCC"], "-std=c++17", "-c",
               "-arch=compute_90a", "-code=sm_90a", "-o", f"{scratch}/object",
               file).fine() if has_nvcc() else None
    return grade.add("nvcc", fine, NO_NVCC if fine is None else
                     "compiles it" if fine else build_error(log),
                     "nvcc's words")


ARCH = os.environ.get("ARCH", "90a")
REGISTERS = 65536  # of a multiprocessor; a thread has a multiple of eight
SHARED, OPT_IN = 49152, 232448  # bytes of a block, and if it asks for more


def by_both(symbol):
    """A kernel's name, as both compilers have it: nvcc names no static one
    apart, and an anonymous namespace by the file."""
    if its := re.search("([0-9]+)_GLOBAL__N_", symbol):
        end = its.end(1) + int(its[1])
        symbol = symbol[:its.start()] + "?" + symbol[end:]
    return re.sub("^_ZL", "_Z", symbol)


def too_large(grade, words):
    """A launch whose block would not fit, by what ptxas says of each kernel,
    and where to look; None where all fit."""
    names = {by_both(symbol): int(address, 16)
             for address, symbol in re.findall(
        r"(?m)^([0-9a-f]+) \w (\S+)$", output(
            "nm", f"build/cpu/{grade.lab.name}/default/attempt"))}
    for symbol, used, smem in re.findall(
            r"(?s)entry function '(\S+)'.*?Used (\d+) registers"
            r"(?:[^\n]*?, (\d+) bytes smem)?", words):
        threads, dynamic, raised = grade.launched.get(names.get(by_both(symbol)),
                                                      (0, 0, 0))
        if (all_of := -(-int(used) // 8) * 8 * -(-threads // 32) * 32
                ) > REGISTERS:
            return (f"a block of {threads} threads with {used} registers each "
                    f"takes {all_of:,} of {REGISTERS:,}: a GPU refuses the "
                    "launch", "__launch_bounds__")
        static = int(smem or 0)  # with that of the functions that it calls
        most, asked = (OPT_IN, raised) if raised else (SHARED, dynamic)
        if static + asked > most:
            return (f"{static:,} bytes of static shared memory and {asked:,} "
                    f"of dynamic are more than {most:,}: a GPU refuses the "
                    "launch",
                    "the limit that is set, and arrays of functions")
    return None


def own_arms(lab):
    """The other values of the lab's own toggles."""
    values = values_of(lab) if lab.toggles else {}
    return [f"{toggle}-{value}" for toggle in lab.toggles
            for value in values.get(toggle, ())[1:]]


def compiled_by_nvcc(lab):
    """What judge_resources asks nvcc for; nothing where it does not ask."""
    return [f"build/gpu/{lab.name}/{arm}/kernel.o"
            for arm in ("default", *own_arms(lab))
            ] if lab.file == "kernel.cu" and has_nvcc() else []


def warns_of_host(words):
    """What the host calls or reads and the device has, or the other way."""
    its = re.search(r".*: warning #20(?:01|09)\d-D: .*", words)
    return its and (f"nvcc says: {its[0]}", "what is __device__")


def judge_resources(grade, scratch):
    lab, log = grade.lab, f"{scratch}/log"
    budget = facts(lab.stage).get("budget")
    wanted = compiled_by_nvcc(lab)
    if not wanted:
        return grade.add("resources", None, NO_NVCC if lab.file == "kernel.cu"
                         else f"{lab.mine} is no kernel")
    for path in wanted:
        arm = path.split("/")[-2]
        if not make(log, path).fine():
            return grade.add("resources", False, "nvcc does not compile it"
                             + ("" if arm == "default" else
                                f" with {arm.replace('-', '=')}") + ": "
                             + build_error(log), "nvcc's words")
        if its := warns_of_host(text_of(f"{path}.ptxas")):
            return grade.add("resources", False, *its)
    ptxas = f"{wanted[0]}.ptxas"
    if fault := too_large(grade, text_of(ptxas)):
        return grade.add("resources", False, *fault)
    if not budget:
        return grade.add("resources", True, f"nvcc compiles it for {ARCH}")
    used = report(ptxas)
    words = [f"{kind.replace('_', ' ')} {number} of {budget[kind]}".replace(
                 "shared", "static shared")
             for kind, number in used.items()]
    return grade.add(
        "resources", all(number <= budget[kind]
                         for kind, number in used.items()),
        f"{', '.join(words)}, by nvcc for {ARCH}",
        "the arrays that are yours, how far your loops are unrolled, and whose "
        "address is taken: a parameter's makes a copy of it")


def judge_on_gpu(grade, scratch):
    """What `make check` asks where there is a GPU, which the executor is not."""
    lab, log = grade.lab, f"{scratch}/log"
    if os.environ.get("HERE") != "gpu" or grade.kind.not_timed:
        return
    program = f"build/gpu/{lab.name}/default/program"
    ended = make(log, program)
    if ended.fine():
        ended = run(log, SECONDS * 4, program, "check")
    its = re.search(r"(?m)^ *FAILED (.*(?:\n {4}.*)?)", text_of(log) or "")
    grade.add("gpu", ended.fine(), "the gates pass on the GPU of this machine"
              if ended.fine() else re.sub(r"\s+", " ", its[1]) if its else
              complaint(log, lab.name), f"make {lab.name} check")


def judge_time(grade, scratch):
    """Median of a launch in a graph, against the book's kernel in the same
    process; what is slower by no more than the noise is not slower. Who
    measures waits until nobody else does; the limits do not."""
    lab, log = grade.lab, f"{scratch}/log"
    why = ("no GPU is used here" if os.environ.get("HERE") != "gpu"
           else grade.kind.not_timed)
    if why:
        return grade.add("time", None, why)
    program = f"build/gpu/{lab.name}/default/program"
    other = f"build/gpu/{lab.stage}/default/kernel.so"
    look = f"make {lab.name} bench"
    ended = make(log, program, other)
    if ended.fine():
        ended = run(log, SECONDS * 4, program, "bench", "--shape", "mission",
                    "--seeds", grade.seed, "--json", scratch, "--against",
                    other, before=["tools/make/alone.py"])
    texts = [text_of(f"{scratch}/{name}.json")
             for name in (lab.name, lab.stage)]
    if not ended.fine() or None in texts:
        return grade.add("time", False, complaint(log, lab.name), look)
    mine, book = (json.loads(text)["perf"]["mission"]["graph"]
                  for text in texts)
    here, theirs, noise = mine["p50_us"], book["p50_us"], mine.get(
        "noise_us") or 0
    grade.json["time"] = {"here_us": here, "book_us": theirs, "noise_us": noise}
    limit = theirs * float(lab.time) + noise
    return grade.add("time", here <= limit, f"{here:.2f} us a launch at "
                     f"mission, at most {limit:.2f} (the book's kernel: "
                     f"{theirs:.2f}, noise {noise:.2f})", look)


def judge(grade, scratch):
    """Last: by then nvcc has compiled it, and all launches are known."""
    judge_resources(grade, scratch)
    judge_time(grade, scratch)
