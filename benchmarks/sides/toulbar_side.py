"""toulbar2: the best assignment of a UAI file."""

import json
import sys
import time

import pytoulbar2

problem = pytoulbar2.CFN(vac=1)
problem.Read(sys.argv[1])
started = time.process_time()
found = problem.Solve()
print(json.dumps({"cpu": time.process_time() - started, "values": list(found[0])}))
