"""How wide nvcc makes a program's loads and stores. It merges neighbours: four
scalar loads may be one of 16 bytes, which a GPU executes and counts once."""

import os
import re
import shutil

from command import nvdisasm, said

LINE = re.compile(r'\s*//## File "(.*?)", line (\d+)')
WIDE = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ +)?"
                  r"(LDS|STS|LDG|STG)\.(?:\S*\.)?(64|128)\b")
OPERATIONS = {"LDS": "shared load", "STS": "shared store",
              "LDG": "global load", "STG": "global store"}


def widths(nvcc, files, names, folder):
    """Of each line with one that is wider than 4 bytes, as the executor names
    lines: "FILE:LINE OPERATION BYTES". None where nobody can say. `names` has
    the program's files by their real paths."""
    tool = nvdisasm()
    if not shutil.which(nvcc[0]) or not tool:
        return None
    found = {}
    for number, name in enumerate(files):
        cubin = f"{folder}/{number}.cubin"
        if said([*nvcc, "-cubin", "-o", cubin, name])[0]:
            return None
        code, text = said([tool, "-gi", "-c", cubin])
        if code:
            return None
        calls, begun = [], False
        for line in text.splitlines():
            place, wide = LINE.match(line), WIDE.match(line)
            if place:
                calls = (calls if begun else []) + [place.groups()]
            begun = bool(place)
            ours = [(names[os.path.realpath(file)], at) for file, at in calls
                    if os.path.realpath(file) in names]
            if wide and ours:
                at = ":".join(ours[-1]) + (
                    f">{ours[0][1]}" if len(ours) > 1 else "")
                key = f"{at} {OPERATIONS[wide[1]]}"
                found[key] = max(found.get(key, 0), int(wide[2]) // 8)
    return [f"{key} {width}" for key, width in found.items()]
