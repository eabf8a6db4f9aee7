#!/usr/bin/env python3
"""take.py FOLDER COPY: brings a reader's file, named like the copy, to where it
is compiled, and leaves the copy alone where nothing has changed. Messages name
his file."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import stop, text_of, write

FOLDER, COPY = sys.argv[1:]
SOURCE = f"{FOLDER}/{os.path.basename(COPY)}"
TEXT = text_of(SOURCE)
if TEXT is None:
    stop(2, f"There is no {SOURCE} yet: 'make {os.path.basename(FOLDER)}' lays "
         "it out.")
TEXT = f'#line 1 "{SOURCE}"\n{TEXT}'
if text_of(COPY) != TEXT:
    write(COPY, TEXT)
