"""paco sorts a stream whose classes keep growing.

Give it labelled examples of the classes you know and an unlabelled stream of embeddings; for every sample it says, at
once and for good: this is known class X, this belongs to category C that appeared earlier, or this starts a new one.

>>> import pacodiscovery as paco
>>> X = [[9, 1, 0], [8, 0, 1], [9, 0, 2], [1, 9, 0], [0, 8, 1], [2, 9, 0], [0, 1, 9], [1, 0, 8], [0, 2, 9]]
>>> y = ["red", "red", "red", "green", "green", "green", "blue", "blue", "blue"]
>>> finder = paco.Discoverer().fit(X, y)
>>> for decision in finder.stream([[1, 9, 1], [9, 9, 9], [9, 8, 9]]):
...     print(decision.verdict, decision.name)
known green
created category 3
existing category 3

Discoverer has the manners of scikit-learn and river; Session is the stream itself, with journal and operations;
calibrate, evaluate and report do what the verbs of the command line do. Errors are PacoError with a hint.
"""

from . import errors, plots
from ._estimator import NothingFoundWarning
from ._paco import Decision, Decisions, Model
from ._paco import __version__ as _version
from .calibration import (Threshold, calibrate, calibrate_by_replay, calibrate_threshold, load_model, method_info,
                          methods)
from .async_client import AsyncClient, AsyncStream
from .client import Client, RemoteDecision, RemoteStream
from .confidence import Confidence, calibrate_confidence
from .decisions import concatenate, load_decisions
from .discoverer import Discoverer
from .encoder import Encoder
from .errors import (ClosedError, DiskError, InputError, InputTypeError, NotFittedError, NotFoundError, PacoError,
                     ServerError)
from .evaluation import Evaluation, Table, compare, evaluate
from .held_out import HeldOutClasses
from .members import Category, MapPoint, Near, Sample, Suggestion
from .operations import Outcome
from .report import Report, report
from .session import Replay, Session, replay

__version__ = _version
__all__ = [
    "AsyncClient", "AsyncStream", "Category", "Client", "ClosedError", "Confidence", "Decision", "Decisions", "DiskError", "Discoverer", "Encoder", "Evaluation", "HeldOutClasses",
    "InputError", "InputTypeError", "MapPoint", "Model", "Near", "NotFittedError", "NotFoundError", "NothingFoundWarning", "Outcome", "PacoError",
    "RemoteDecision", "RemoteStream", "Replay", "Report", "Sample", "ServerError", "Session", "Suggestion", "Table", "Threshold", "calibrate",
    "calibrate_by_replay", "calibrate_confidence", "calibrate_threshold", "compare", "concatenate", "errors", "evaluate", "load_decisions",
    "load_model", "method_info", "methods", "plots", "replay", "report",
]
