"""Small trainings that tests of stopping, ending and resuming share."""

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.models.policy_files import read_tensors
from garden.models.registry import ModelConfig
from garden.storage import arrays_hash
from garden.training import trainer as trainer_module
from garden.training import validation
from garden.training.callbacks import Listener
from garden.training.config import RunOptions, TrainingOptions
from garden.training.run import train_seeds

GRAPH = kaiser_hilgetag(n=30, beta=2, seed=1)
TASK = SearchTask.split(GRAPH, seed=0)
SIZE = ModelConfig(hidden=8)
TRELLIS = TrainingOptions(updates=6, targets_per_update=5, validate_every=2)
CPU = RunOptions(device="cpu")


def train_into(folder, options=TRELLIS, **kwargs):
    (run,) = train_seeds([TASK], options, SIZE, CPU, [folder], **kwargs)
    return run


def state_of(folder):
    """The state file but for the time, to compare bit for bit."""
    tensors, record = read_tensors(folder / "state.safetensors")
    return arrays_hash(tensors), {k: v for k, v in record.items() if k != "seconds"}


class StopAt(Listener):
    """Ctrl-C after some updates."""

    def __init__(self, update):
        self.update = update

    def on_update(self, update, total):
        if update == self.update:
            raise KeyboardInterrupt


class FakeClock:
    """A clock that updates and validation targets move, by so many seconds each."""

    def __init__(self, monkeypatch, update, validating, num_targets, method="guided"):
        self.now = 0.0
        loss, hops = trainer_module.LOSSES[method], validation.validation_hops

        def slow_loss(*args):
            self.now += update
            return loss(*args)

        def slow_hops(scores, targets, *args):
            self.now += validating * len(targets) / num_targets
            return hops(scores, targets, *args)

        monkeypatch.setitem(trainer_module.LOSSES, method, slow_loss)
        monkeypatch.setattr(validation, "validation_hops", slow_hops)

    def __call__(self):
        return self.now
