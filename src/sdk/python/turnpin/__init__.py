"""A client of ``turnpin-agent serve`` for Python 3.9 and later, standard library alone.

Low-level calls answer receipts, never results; ``run()`` alone owns an interval and has a result.
"""

from .client import Client, EventStream, SubagentStream
from .errors import ServerError, ServerExitError, StartTimeoutError, TurnpinError
from .run import RunResult
from .subagents import SubagentNews

__all__ = [
    "Client",
    "EventStream",
    "RunResult",
    "ServerError",
    "ServerExitError",
    "StartTimeoutError",
    "SubagentNews",
    "SubagentStream",
    "TurnpinError",
]
