"""The server as a child process of the client: its pipes, its last words, its end."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from typing import Callable, Mapping, Optional, Sequence

from .errors import ServerExitError

#: How much of the server's standard error is kept for errors, in bytes.
STDERR_TAIL = 4096

#: How long the last output may trail after the process has ended, in seconds: a child of its own may hold the pipes.
TRAILING = 0.5


class ServerProcess:
    """Calls ``on_line`` for each line of the server, then ``on_exit`` once, never two at a time."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Optional[str],
        env: Optional[Mapping[str, str]],
        on_line: Callable[[bytes], None],
        on_exit: Callable[[ServerExitError], None],
    ) -> None:
        try:
            self._process = subprocess.Popen(
                list(command), cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise ServerExitError(None, "", str(error)) from error
        self._on_line = on_line
        self._on_exit = on_exit
        self._writing = threading.Lock()
        self._telling = threading.RLock()
        self._over = False
        self._stderr = b""
        self._errors = threading.Thread(target=self._read_errors, name="turnpin-stderr", daemon=True)
        self._reader = threading.Thread(target=self._read, name="turnpin-stdout", daemon=True)
        self._watcher = threading.Thread(target=self._watch, name="turnpin-exit", daemon=True)
        for thread in (self._errors, self._reader, self._watcher):
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def stderr(self) -> str:
        """The last of what it has written to standard error."""
        return self._stderr.decode("utf-8", "replace")

    def send(self, line: bytes) -> None:
        """Writes one line. A server that has gone is told by ``on_exit``, not here."""
        stdin = self._process.stdin
        assert stdin is not None
        with self._writing:
            try:
                stdin.write(line)
                stdin.flush()
            except (OSError, ValueError):
                pass

    def end(self, last: bytes, grace: float) -> None:
        """Ends the process in every case: a last line, end of input, after ``grace`` seconds TERM, then KILL.

        A server that reads no more holds up whoever writes to it, until its end.
        """
        threading.Thread(target=self._finish, args=(last,), name="turnpin-stdin", daemon=True).start()
        for stop in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(grace)
                break
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    stop()
        self._process.wait()
        if threading.current_thread() not in (self._reader, self._watcher):
            self._watcher.join()

    def _finish(self, last: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        self.send(last)
        with self._writing, contextlib.suppress(OSError):
            stdin.close()

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            for line in stdout:
                with self._telling:
                    if self._over:
                        return
                    self._on_line(line)

    def _watch(self) -> None:
        returncode = self._process.wait()
        self._reader.join(TRAILING)
        self._errors.join(TRAILING)
        with self._telling:
            self._over = True
            self._on_exit(ServerExitError(returncode, self.stderr))

    def _read_errors(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        with stderr:
            for piece in iter(lambda: stderr.read1(65536), b""):  # type: ignore[attr-defined]
                self._stderr = (self._stderr + piece)[-STDERR_TAIL:]
