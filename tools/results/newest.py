#!/usr/bin/env python3
"""Where the newest recorded file of a name is:
  newest.py NAME [FOLDER]     in that folder alone, if it is given
  newest.py --all NAME        each such file, the newest first
Exit 3 where there is none."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import stop
from recorded import newest

words = [word for word in sys.argv[1:] if word != "--all"]
if not 1 <= len(words) <= 2:
    stop(2, __doc__)
found = newest(*words)
print("\n".join(found if "--all" in sys.argv else found[:1]),
      end="\n" if found else "")
sys.exit(0 if found else 3)
