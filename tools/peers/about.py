"""What a record says of where it was measured, and the ceilings there."""

import ctypes
import datetime
import os
import platform
import subprocess

from recorded import Unreadable, read


def recorded_floor(device):
    """The first of the files in FLOORS that was measured on this GPU."""
    for path in os.environ.get("FLOORS", "").split():
        meta = read(path).section("build_meta")
        if meta.section("device").text("name") == device:
            return path
    return None


def ceilings_of(path, names):
    """By shape the time in us at the ceiling, by floor/model/model.c, and what
    binds."""
    if path is None:
        return dict.fromkeys(names)
    said = subprocess.run(["build/tools/floor-model", path, *names],
                          capture_output=True, text=True, check=False)
    if said.returncode:
        raise Unreadable(said.stderr.strip())
    measured = read(path).section("build_meta").text("date")
    lines = (line.split(maxsplit=2) for line in said.stdout.splitlines())
    return {name: {"us": float(us), "binding": binding, "measured": measured}
            for name, us, binding in lines}


def driver_version():
    """1000 * major + 10 * minor of the CUDA that the driver supports."""
    version = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return version.value


def said_of(its):
    """A class of contenders/: its version, or why it takes no part."""
    lacking = its.unavailable()
    return {"precision": its.precision,
            **({"absent": "cannot: " + lacking} if lacking
               else {"version": its.version()})}


def meta_of(libraries, classes, commit):
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
            "cudnn_frontend": getattr(module()[0], "__version__", None),
            "contenders": {its.name: said_of(its) for its in classes},
            "kernels": {library.name: {
                "stage": library.stage,
                "kernel_hash": library.kernel_hash,
                "toggles": library.toggles, "compiler": library.compiler}
                for library in libraries}}
