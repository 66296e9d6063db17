"""Stands in for the process that runs operators: an item is `NAME`, `slow-NAME` or `deadly-NAME`."""

import json
import os
import signal
import sys
import time

out, sys.stdout = sys.stdout, sys.stderr
for item in json.load(sys.stdin):
    print(json.dumps({"begin": item}), file=out, flush=True)
    if item.startswith("deadly"):
        os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(0.05 if item.startswith("slow") else 0.005)
    print(json.dumps({"end": item, "row": {"results": [["ok"]], "said": item[::-1]}, "error": None}),
          file=out, flush=True)
