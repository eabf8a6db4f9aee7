"""Our stages beside PyTorch's attention and cuDNN's: one process, one clock.

  peers.py run FOLDER COMMIT LIBRARY... [-- SHAPE...]  measures, writes
                                                  FOLDER/peers.json
  peers.py show FILE                              prints a recorded one
  peers.py have                                   is there a PyTorch for a GPU?

A shape is a name of common/harness/settings.json, B,H,S,D or B,H:KV,S,D, with
,causal behind it for a mask. Exit: 0; 1 a contender computes something else;
2 usage; 3 this machine cannot."""

import ctypes
import datetime
import json
import os
import platform
import subprocess
import sys

from recorded import Section, Unreadable, read
from shapes import shape_of
from show import show

SHAPES = ["small", "mission", "2,8,512,64", "long", "large"]
# Twice what FP8 kernels that round P to E4M3 too are known to err by.
LARGEST_REL_RMS = 0.04
OFFSET = 4.0


def stop(code, sentence):
    print(sentence, file=sys.stderr)
    sys.exit(code)


def error(contender, reference):
    """Relative root mean square; NaN where anything is not a number."""
    difference = contender.output().double() - reference
    return (difference.square().mean() / reference.square().mean()).sqrt().item()


def gate(contender, reference):
    """Runs it once: a dictionary with its error, or why it cannot take part."""
    import torch

    missing = contender.missing()
    if missing:
        return {"absent": "cannot: " + missing}
    try:
        with contender.context():
            contender.launch()
        torch.cuda.synchronize()
    except (RuntimeError, torch.OutOfMemoryError) as reason:
        return {"absent": "cannot: " + str(reason).splitlines()[0][:60]}
    found = error(contender, reference)
    if not found <= LARGEST_REL_RMS:
        return {"rel_rms": None if found != found else found, "wrong": True,
                "absent": f"wrong: relative RMS error {found:.1e}"}
    return {"rel_rms": found}


def everyone_at(problem, libraries, reference):
    from contenders import BACKENDS, Backend, Stage
    from frontend import KINDS, Frontend

    largest = reference.abs().max().item()
    return ([Stage(library, problem) for library in libraries]
            + [Backend(name, problem) for name in BACKENDS]
            + [Frontend(name, problem, largest) for name in KINDS])


def errors_with_offset(libraries, shape):
    """By name, where V's numbers lie around 4: long sums of them are not near
    zero. An error here keeps nobody from taking part."""
    from contenders import Problem

    problem = Problem(shape, v_mean=OFFSET)
    reference = problem.reference()
    found = {c.name: gate(c, reference)
             for c in everyone_at(problem, libraries, reference)}
    return {name: its["rel_rms"] for name, its in found.items()
            if "rel_rms" in its}


def recorded_floor(device):
    """The first of the files in FLOORS that was measured on this GPU."""
    for path in os.environ.get("FLOORS", "").split():
        meta = read(path).section("build_meta")
        if meta.section("device").text("name") == device:
            return path
    return None


def floors_of(path, names):
    """By shape the least time in us by floor/model/model.c, and what binds."""
    if path is None:
        return dict.fromkeys(names)
    said = subprocess.run(["build/tools/floor-model", path, *names],
                          capture_output=True, text=True, check=False)
    if said.returncode:
        stop(1, said.stderr.strip())
    measured = read(path).section("build_meta").text("date")
    lines = (line.split(maxsplit=2) for line in said.stdout.splitlines())
    return {name: {"us": float(us), "binding": binding, "measured": measured}
            for name, us, binding in lines}


def one_shape(libraries, shape):
    from clock import Power, measure
    from contenders import Problem, Stage, Twin
    from samples import noise

    offset = errors_with_offset(libraries, shape)
    problem = Problem(shape)
    reference = problem.reference()
    everyone = everyone_at(problem, libraries, reference)
    entries = {c.name: gate(c, reference) for c in everyone}
    for name, error_there in offset.items():
        entries[name]["rel_rms_offset"] = error_there
    able = [c for c in everyone if "absent" not in entries[c.name]]
    if not able:
        stop(1, f"Nobody computes the shape {shape}.")
    arms = [c for c in able if isinstance(c, Stage)]
    stages = [c for c in arms if "." not in c.name]
    twin = Twin((stages or arms or able)[-1])
    with Power() as power:
        times = measure(able + [twin])
    for contender, its in zip(able, times):
        entry = entries[contender.name] | its
        entry["tflops"] = shape.flop / its["graph"]["p50_us"] * 1e-6
        entries[contender.name] = entry
    single = times[able.index(twin.contender)]
    groups = {"kv_heads": shape.kv_heads} if shape.grouped else {}
    return {"shape": shape.numbers, **groups, "causal": shape.causal,
            "flop": shape.flop, "twin_of": twin.contender.name,
            "noise_us": noise(single["graph"]["samples_us"],
                              times[-1]["graph"]["samples_us"]),
            "clocks": power.figures(), "contenders": entries}


def driver_version():
    """1000 * major + 10 * minor of the CUDA that the driver supports."""
    version = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return version.value


def meta_of(libraries, commit):
    import torch

    from frontend import module

    device = torch.cuda.get_device_properties(0)
    driver = driver_version()
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"schema_version": 1, "commit": commit,
            "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "device": {"name": device.name,
                       "capability": f"{device.major}.{device.minor}",
                       "multiprocessors": device.multi_processor_count,
                       "driver": f"{driver // 1000}.{driver % 1000 // 10}"},
            "python": platform.python_version(), "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
            "cudnn_frontend": getattr(module(), "__version__", None),
            "kernels": {library.name: {
                "stage": library.stage,
                "kernel_hash": library.kernel_hash,
                "toggles": library.toggles, "compiler": library.compiler}
                for library in libraries}}


def write(folder, text, last=True):
    """Whole or not at all; what is not the last is only tried."""
    path = os.path.join(folder, "peers.json")
    aside = path + ".new"
    try:
        os.makedirs(folder, exist_ok=True)
        with open(aside, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        if last:
            os.replace(aside, path)
    except OSError as reason:
        stop(3, f"Cannot write {path}: {reason.strerror}.")
    finally:
        if os.path.exists(aside):
            os.remove(aside)


def run(folder, commit, paths, names):
    try:
        shapes = {name: shape_of(name) for name in names or SHAPES}
    except ValueError as reason:
        stop(2, str(reason))
    write(folder, " " * 4096, last=False)
    import torch

    from stages import Library

    libraries = [Library(path) for path in paths]
    result = {"build_meta": meta_of(libraries, commit), "peers": {}}
    path = recorded_floor(result["build_meta"]["device"]["name"])
    floors = floors_of(path, shapes)
    for name, shape in shapes.items():
        print(f"measuring {name} ...", file=sys.stderr)
        result["peers"][name] = one_shape(libraries, shape) | {
            "floor": floors[name]}
        torch.cuda.empty_cache()
    show(Section("The result", (), result))
    write(folder, json.dumps(result, indent=1))
    print(f"wrote {os.path.join(folder, 'peers.json')}")
    wrong = [f"{who} at {name}" for name, shape in result["peers"].items()
             for who, entry in shape["contenders"].items() if "wrong" in entry]
    if wrong:
        stop(1, "Wrong, and so not timed: " + ", ".join(wrong) + ".")


def have():
    try:
        import torch
    except ImportError:
        stop(3, "This Python has no PyTorch.")
    if not torch.cuda.is_available():
        stop(3, "This PyTorch finds no GPU.")


def main(words):
    if words[:1] == ["have"] and len(words) == 1:
        have()
    elif words[:1] == ["show"] and len(words) == 2:
        show(read(words[1]))
    elif words[:1] == ["run"] and len(words) > 3:
        names = []
        if "--" in words:
            names = words[words.index("--") + 1:]
            words = words[:words.index("--")]
        run(words[1], words[2], words[3:], names)
    else:
        stop(2, __doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Unreadable as reason:
        stop(1, str(reason))
    except KeyboardInterrupt:
        sys.exit(130)
