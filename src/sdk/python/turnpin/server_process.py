"""The server as a child process of the client: its pipes, its last words, its end."""

from __future__ import annotations

import subprocess
import threading
from typing import Callable, Mapping, Optional, Sequence

from .errors import ServerExitError

#: How much of the server's standard error is kept for errors, in bytes.
STDERR_TAIL = 4096

#: How long the last words on standard error may trail after standard output has ended, in seconds.
TRAILING = 0.5


class ServerProcess:
    """Calls ``on_line`` for each line of the server, then ``on_exit`` once, all from one thread."""

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
        self._stderr = b""
        self._errors = threading.Thread(target=self._read_errors, name="turnpin-stderr", daemon=True)
        self._reader = threading.Thread(target=self._read, name="turnpin-stdout", daemon=True)
        self._errors.start()
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

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

    def end(self, grace: float) -> None:
        """Ends the process in every case: end of input, after ``grace`` seconds TERM, after as many again KILL."""
        stdin = self._process.stdin
        assert stdin is not None
        # A writer that waits for a server which reads no more holds the lock; the signals below free it.
        if self._writing.acquire(timeout=grace):
            try:
                stdin.close()
            except OSError:
                pass
            finally:
                self._writing.release()
        for stop in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(grace)
                break
            except subprocess.TimeoutExpired:
                stop()
        self._process.wait()
        if threading.current_thread() is not self._reader:
            self._reader.join(grace + 2 * TRAILING)

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            with stdout:
                for line in stdout:
                    self._on_line(line)
        finally:
            returncode = self._process.wait()
            self._errors.join(TRAILING)
            self._on_exit(ServerExitError(returncode, self._stderr.decode("utf-8", "replace")))

    def _read_errors(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        with stderr:
            for piece in iter(lambda: stderr.read1(65536), b""):  # type: ignore[attr-defined]
                self._stderr = (self._stderr + piece)[-STDERR_TAIL:]
