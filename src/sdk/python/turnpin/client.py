"""The Python SDK: a client of ``turnpin-agent serve``."""

from __future__ import annotations

import itertools
import json
import os
import queue
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError  # before Python 3.11 one of its own
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union

from .errors import ServerError, ServerExitError, StartTimeoutError
from .run import Event, RunCollector, RunResult
from .server_process import ServerProcess
from .subagents import SubagentNews, SubagentWatch

#: Text, or blocks ``{"type": "text", "text": …}``.
Content = Union[str, Sequence[Mapping[str, str]]]

_Observer = Callable[[str, Dict[str, Any]], None]
_Item = TypeVar("_Item")


class Client:
    """Starts a server and speaks with it. A context manager; may be used from several threads.

    ``run()`` calls that overlap on one session are allowed: each sees the interval from its own receipt on, so one event
    may be in several results. Serialise them where that matters.
    """

    def __init__(
        self,
        cwd: Optional[str] = None,
        *,
        command: Sequence[str] = ("turnpin-agent", "serve"),
        env: Optional[Mapping[str, str]] = None,
        provider: Optional[str] = None,
        model: Optional[str] = None,
        max_tokens: Optional[int] = None,
        start_timeout: Optional[float] = 60.0,
        grace: float = 5.0,
    ) -> None:
        """Raises ``ServerExitError``, ``ServerError`` or ``StartTimeoutError``; no process is left then.

        ``start_timeout`` is how many seconds the server may take to answer ``initialize``; ``None`` sets no bound.
        ``grace`` is how many ``close()`` waits before TERM, and again before KILL.
        """
        workspace = os.path.abspath(cwd if cwd is not None else os.getcwd())
        self._grace = grace
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._pending: Dict[int, "_Call"] = {}
        self._subscribers: List["_Subscriber"] = []
        self._gone: Optional[ServerExitError] = None
        self._closing = False
        self._server = ServerProcess(command, workspace, env, self._take, self._end)
        given = {"provider": provider, "model": model, "maxTokens": max_tokens}
        params = {"cwd": workspace, **{key: value for key, value in given.items() if value is not None}}
        try:
            self._start("initialize", params).future.result(start_timeout)
        except FutureTimeoutError:
            self.close()
            raise StartTimeoutError(command, start_timeout or 0, self._server.stderr) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._server.pid

    def prompt(self, session_id: str, content: Content) -> str:
        """Enqueues an ordinary message and returns its id; creates the session, or resumes it where its log exists."""
        return self._send("session/prompt", session_id, content)

    def steer(self, session_id: str, content: Content) -> str:
        """Steers an open session; returns the message id."""
        return self._send("session/steer", session_id, content)

    def inject(self, session_id: str, content: Content) -> str:
        """Adds context to an open session, which wakes nothing; returns the message id."""
        return self._send("session/inject", session_id, content)

    def cancel(self, session_id: str) -> None:
        """Cancels all of an open session's work."""
        self.call("session/cancel", {"sessionId": session_id})

    def close_session(self, session_id: str) -> None:
        """Ends one session: its work is aborted, its log flushed, its lock released. A later prompt resumes it.

        Raises ``ServerError`` where it is not open, or where its last events could not be saved.
        """
        self.call("session/close", {"sessionId": session_id})

    def events(self, session_id: str) -> "EventStream":
        """Durable events of a session from now on, in order of recording. Ends with the server."""
        return EventStream(self, session_id)

    def subagents(self, session_id: str) -> "SubagentStream":
        """What becomes of every child below a session from now on, in one order. Ends with the server."""
        return SubagentStream(self, session_id)

    def run(self, session_id: str, content: Content, timeout: Optional[float] = None) -> RunResult:
        """Sends an ordinary message and owns the interval from its receipt through the next whole-agent idle.

        Raises ``TimeoutError`` after ``timeout`` seconds; the session goes on then.
        """
        collector = RunCollector(session_id)
        done: "Future[RunResult]" = Future()
        guard = threading.Lock()

        def settle() -> None:
            if collector.result is not None and not done.done():
                done.set_result(collector.result)

        def observe(method: str, params: Dict[str, Any]) -> None:
            if params.get("sessionId") != session_id:
                return
            with guard:
                collector.observe(method, params)
                settle()

        def end(error: Optional[ServerExitError]) -> None:
            with guard:
                if not done.done():
                    done.set_exception(error or ServerExitError(0, ""))

        subscriber = _Subscriber(observe, end)
        self._subscribe(subscriber)
        try:
            message_id = self.prompt(session_id, content)
            with guard:
                collector.began(message_id)
                settle()
            return _wait(done, timeout)
        finally:
            self._unsubscribe(subscriber)

    def call(self, method: str, params: Mapping[str, Any]) -> Dict[str, Any]:
        """One call of the protocol. Raises ``ServerError``, or ``ServerExitError`` when the server is gone."""
        return self._start(method, params).future.result()

    def close(self) -> None:
        """Shuts the server down and ends its process in every case. Idempotent."""
        with self._lock:
            if self._closing:
                return
            self._closing = True
        # Its answer is the process's end; a server that cannot answer is ended all the same.
        self._server.end(_frame(next(self._ids), "shutdown", {}), self._grace)

    def _send(self, method: str, session_id: str, content: Content) -> str:
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        return str(self.call(method, {"sessionId": session_id, "contentBlocks": blocks})["messageId"])

    def _start(self, method: str, params: Mapping[str, Any]) -> "_Call":
        call = _Call(method)
        number = next(self._ids)
        with self._lock:
            if self._gone is not None:
                raise self._gone
            self._pending[number] = call
        self._server.send(_frame(number, method, params))
        return call

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        if "method" in message:
            self._notify(message["method"], message.get("params"))
        else:
            self._settle(message)

    def _settle(self, message: Dict[str, Any]) -> None:
        number = message.get("id")
        if not isinstance(number, int):
            return
        with self._lock:
            call = self._pending.pop(number, None)
        if call is None:
            return
        error = message.get("error")
        if error is None:
            call.future.set_result(message.get("result") or {})
        else:
            reason = (error.get("data") or {}).get("code")
            call.future.set_exception(ServerError(call.method, error["code"], error["message"], reason))

    def _notify(self, method: str, params: Any) -> None:
        if not isinstance(params, dict):
            return
        with self._lock:
            subscribers = list(self._subscribers)
        for subscriber in subscribers:
            subscriber.observe(method, params)

    def _end(self, error: ServerExitError) -> None:
        with self._lock:
            self._gone = error
            pending, self._pending = self._pending, {}
            subscribers, self._subscribers = self._subscribers, []
            orderly = self._ended_orderly(error)
        for call in pending.values():
            call.future.set_exception(error)
        for subscriber in subscribers:
            subscriber.end(None if orderly else error)

    def _subscribe(self, subscriber: "_Subscriber") -> None:
        with self._lock:
            if self._gone is None:
                self._subscribers.append(subscriber)
                return
            error = self._gone
            orderly = self._ended_orderly(error)
        subscriber.end(None if orderly else error)

    def _ended_orderly(self, error: ServerExitError) -> bool:
        return self._closing and error.returncode == 0

    def _unsubscribe(self, subscriber: "_Subscriber") -> None:
        with self._lock:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)


class _Stream(Generic[_Item]):
    """An iterator over what the server says. A context manager; ``close()`` ends it."""

    def __init__(self, client: Client, pick: Callable[[str, Dict[str, Any]], Optional[_Item]]) -> None:
        self._client = client
        self._pick = pick
        self._held: "queue.SimpleQueue[Union[_Item, _End]]" = queue.SimpleQueue()
        self._end: Optional[_End] = None
        self._subscriber = _Subscriber(self._observe, lambda error: self._held.put(_End(error)))
        client._subscribe(self._subscriber)

    def __enter__(self: "_Self") -> "_Self":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[_Item]:
        return self

    def __next__(self) -> _Item:
        if self._end is not None:
            raise StopIteration
        held = self._held.get()
        if not isinstance(held, _End):
            return held
        self._end = held
        if held.error is not None:
            raise held.error
        raise StopIteration

    def close(self) -> None:
        self._client._unsubscribe(self._subscriber)
        self._held.put(_End(None))

    def _observe(self, method: str, params: Dict[str, Any]) -> None:
        item = self._pick(method, params)
        if item is not None:
            self._held.put(item)


_Self = TypeVar("_Self", bound=_Stream[Any])


class EventStream(_Stream[Event]):
    """An iterator over a session's durable events. A context manager; ``close()`` ends it."""

    def __init__(self, client: Client, session_id: str) -> None:
        def pick(method: str, params: Dict[str, Any]) -> Optional[Event]:
            return params["event"] if method == "session.event" and params["sessionId"] == session_id else None

        super().__init__(client, pick)


class SubagentStream(_Stream[SubagentNews]):
    """An iterator over the news of a session's children. A context manager; ``close()`` ends it."""

    def __init__(self, client: Client, session_id: str) -> None:
        super().__init__(client, SubagentWatch(session_id).pick)


class _Call:
    def __init__(self, method: str) -> None:
        self.method = method
        self.future: "Future[Dict[str, Any]]" = Future()


class _Subscriber:
    def __init__(self, observe: _Observer, end: Callable[[Optional[ServerExitError]], None]) -> None:
        self.observe = observe
        self.end = end


class _End:
    def __init__(self, error: Optional[ServerExitError]) -> None:
        self.error = error


def _frame(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(frame, separators=(",", ":")).encode() + b"\n"


def _wait(done: "Future[RunResult]", timeout: Optional[float]) -> RunResult:
    try:
        return done.result(timeout)
    except FutureTimeoutError as error:
        raise TimeoutError(f"The run has not ended within {timeout} seconds.") from error
