"""A client of ``turnpin-agent serve`` for Python 3.9 and later, standard library alone.

Low-level calls answer receipts, never results; ``run()`` alone owns an interval and has a result.
"""

from .client import Client, EventStream
from .errors import ServerError, ServerExitError, TurnpinError
from .run import RunResult

__all__ = ["Client", "EventStream", "RunResult", "ServerError", "ServerExitError", "TurnpinError"]
