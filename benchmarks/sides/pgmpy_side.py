"""pgmpy: all marginals of a BIF file by its belief propagation."""

import json
import sys
import time

from pgmpy.inference import BeliefPropagation
from pgmpy.readwrite import BIFReader

model = BIFReader(sys.argv[1]).get_model()
started = time.process_time()
engine = BeliefPropagation(model)
engine.calibrate()
for node in model.nodes():
    engine.query([node], show_progress=False)
print(json.dumps({"cpu": time.process_time() - started}))
