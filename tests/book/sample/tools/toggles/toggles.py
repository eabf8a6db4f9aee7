#!/usr/bin/env python3
"""Stands in for the real tool: all stages but the first have one toggle."""
import sys

if sys.argv[1] == "list" and sys.argv[2] != "stage0_first":
    print("WIDE 1 0 1")
elif sys.argv[1:] == ["settings", "WIDE-0"]:
    print("WIDE=0")
elif sys.argv[1] == "allowed" and sys.argv[3] not in ("WIDE=0", "WIDE=1"):
    sys.exit(f"there is no {sys.argv[3]}")
