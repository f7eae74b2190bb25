"""What can go wrong between a client and its server."""

from __future__ import annotations

import shlex
from typing import Optional, Sequence


class TurnpinError(Exception):
    """Base of all errors of this package. ``code`` is stable."""

    code = "TURNPIN"


class ServerError(TurnpinError):
    """The server answered a call with an error."""

    code = "SERVER_ERROR"

    def __init__(self, method: str, rpc_code: int, message: str, reason: Optional[str]) -> None:
        super().__init__(f"{method}: {message}")
        #: The JSON-RPC code.
        self.rpc_code = rpc_code
        #: The stable name of the core's own error, where it has one.
        self.reason = reason


class ServerExitError(TurnpinError):
    """The server is gone. Every pending and every later call fails with it."""

    code = "SERVER_EXITED"

    def __init__(self, returncode: Optional[int], stderr: str, cause: Optional[str] = None) -> None:
        super().__init__(_describe(returncode, stderr, cause))
        #: Exit code; negative for the signal that ended it, None where it could not be started.
        self.returncode = returncode
        #: The last of what it wrote to standard error.
        self.stderr = stderr


class StartTimeoutError(TurnpinError, TimeoutError):
    """The server runs and has not answered ``initialize`` in time. Its process has been ended."""

    code = "START_TIMEOUT"

    def __init__(self, command: Sequence[str], timeout: float, stderr: str) -> None:
        super().__init__(
            f'The server did not answer "initialize" within {timeout:g} seconds and was ended. '
            f"It was started as: {shlex.join(command)}. "
            f"It said: {stderr.strip() or 'nothing on standard error'}\n"
            'Check that this command runs "turnpin-agent serve"; if it only needs longer, set start_timeout.'
        )
        #: The last of what it wrote to standard error.
        self.stderr = stderr


def _describe(returncode: Optional[int], stderr: str, cause: Optional[str]) -> str:
    if returncode is None:
        return f"The server could not be started: {cause}"
    how = f"exited with code {returncode}" if returncode >= 0 else f"was ended by signal {-returncode}"
    words = stderr.strip()
    return f"The server {how}." + (f" It said: {words}" if words else "")
