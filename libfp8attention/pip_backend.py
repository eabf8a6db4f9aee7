"""What pip calls for `pip install ./libfp8attention`: make builds the library,
and a wheel is put together from it and fp8attention.py."""

import base64
import hashlib
import pathlib
import subprocess
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = HERE.parent / "build/gpu/libfp8attention/libfp8attention.so"
NAME = "fp8attention-0.1"


def digest(data):
    text = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
    return f"sha256={text.rstrip('=')},{len(data)}"


def build_wheel(directory, config_settings=None, metadata_directory=None):
    if subprocess.run(["make", "-C", HERE.parent, "library"]).returncode:
        raise SystemExit("fp8attention was not built: what 'make library' "
                         "lacks stands above.")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag, info = f"py3-none-{platform}", f"{NAME}.dist-info"
    files = {
        "fp8attention/__init__.py": (HERE / "fp8attention.py").read_bytes(),
        "fp8attention/libfp8attention.so": LIBRARY.read_bytes(),
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: fp8attention\n"
                            b"Version: 0.1\nRequires-Python: >=3.9\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: libfp8attention\n"
                         b"Root-Is-Purelib: false\nTag: %b\n" % tag.encode()}
    files[f"{info}/RECORD"] = "".join(
        f"{name},{digest(data)}\n" for name, data in files.items()
    ).encode() + f"{info}/RECORD,,\n".encode()
    name = f"{NAME}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / name, "w",
                         zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name
