"""What a record says of where it was measured, and the ceilings there."""

import ctypes
import datetime
import os
import platform
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../../floor"))
from model import Model
from recorded import read
from shapes import shape_of


def recorded_floor(device, floors):
    """The first of these files that was measured on this GPU."""
    for path in floors:
        meta = read(path).section("build_meta")
        if meta.section("device").text("name") == device:
            return path
    return None


def ceilings_of(path, names):
    """By shape the time in us at the ceiling, by floor/model.py, and what
    binds."""
    if path is None:
        return dict.fromkeys(names)
    model = Model(path)
    measured = model.floor["build_meta"]["date"]
    found = {name: model.ceiling(shape_of(name)) for name in names}
    return {name: {"us": float(f"{us:.4g}"), "binding": binding,
                   "measured": measured}
            for name, (us, binding) in found.items()}


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
