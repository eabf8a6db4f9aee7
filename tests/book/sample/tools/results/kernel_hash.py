#!/usr/bin/env python3
"""Stands in for the real tool: any change of the file counts."""

import hashlib
import sys
from pathlib import Path

KERNELS = [*Path().glob(f"{sys.argv[1]}/*.cu"),
           *Path("further").glob(f"{sys.argv[1]}/*.cu")]
TEXT = b"".join(path.read_bytes() for path in sorted(KERNELS))
print(hashlib.sha256(TEXT).hexdigest())
