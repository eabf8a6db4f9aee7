"""Outcomes of tests, as TAP."""
import sys


class Tap:
    def __init__(self):
        self.number = self.failures = 0

    def __call__(self, name, faults, skip=''):
        self.number += 1
        self.failures += bool(faults)
        reason = f' # SKIP {skip}' if skip else ''
        print(f'{"not ok" if faults else "ok"} {self.number} - {name}{reason}')
        for fault in faults[:12]:
            print('#   ' + ' '.join(fault.split()))
        sys.stdout.flush()
