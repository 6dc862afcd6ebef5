"""May this combination run? The loop, stopping, progress, records, diagnostics, calibration."""

from __future__ import annotations

from linnet.training.checkpoint import Checkpoint
from linnet.training.grid import compatible
from linnet.training.loop import Stopping
from linnet.training.record import Epoch, TrainingRecord
from linnet.training.trainer import Trained, train

__all__ = ["Checkpoint", "Epoch", "Stopping", "Trained", "TrainingRecord", "compatible", "train"]
