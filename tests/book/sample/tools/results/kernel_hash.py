#!/usr/bin/env python3
"""Stands in for the real tool: any change of the file counts."""

import glob
import hashlib
import sys

NAME = sys.argv[1]
FILES = sorted(glob.glob(f"further/{NAME}/*.cu") or glob.glob(f"{NAME}/*.cu"))
TEXT = "".join(open(path, encoding="utf-8").read() for path in FILES)
print(hashlib.sha256(TEXT.encode()).hexdigest())
