"""Reads from Nsight Compute how many wavefronts each pattern takes on this
machine's GPU:  patterns_on_gpu.py build/tests/patterns-gpu FILE.json"""

import csv
import json
import subprocess
import sys

program, path = sys.argv[1:]
METRIC = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op"
names = subprocess.run([program], stdout=subprocess.PIPE, text=True,
                       check=True).stdout.split("\n")
counted = subprocess.run(
    ["ncu", "--clock-control", "none", "--csv", "--metrics",
     f"{METRIC}_ld.sum,{METRIC}_st.sum", program],
    stdout=subprocess.PIPE, text=True).stdout.splitlines()
# A launch makes one kind of access, so the larger of its two counts is it.
most = {}
for row in csv.reader(line for line in counted if line[:1] == '"'):
    if row[0].isdigit():
        launch, count = int(row[0]), int(row[-1].replace(",", ""))
        most[launch] = max(count, most.get(launch, 0))
if not most:
    sys.exit("Nsight Compute counted nothing.")
patterns = []
for launch, name in enumerate(filter(None, names)):
    access, width, pattern = name.split()
    patterns.append({"access": access, "bytes": int(width),
                     "pattern": int(pattern), "wavefronts": most[launch]})
with open(path, "w") as file:
    json.dump({"patterns": patterns}, file, indent=2)
print(f"wrote {path}")
