"""An owned run: from a message's durable inbox receipt through the next whole-agent idle (RUN-1 to RUN-5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

Event = Mapping[str, Any]


@dataclass(frozen=True)
class RunResult:
    """What a run observed.

    It is broader than the message that began it: steering, context and other queued turns of the interval are in it.
    """

    session_id: str
    message_id: str
    #: Text of the last assistant message of the interval; empty if that message has none, or none came.
    final_response: str
    #: Kind of the reason of the last turn that ended in the interval, whoever caused it; None when none ended.
    finish_reason: Optional[str]
    #: Everything that the session recorded in the interval, the receipt first.
    events: Tuple[Event, ...]


@dataclass
class RunCollector:
    """Gathers one run.

    Facts are taken in from before the request is sent, so that a receipt that arrives before the response is not lost;
    once the message id is known, what came before the receipt is dropped, an earlier idle included.
    """

    session_id: str
    message_id: Optional[str] = None
    result: Optional[RunResult] = None
    _early: List[Tuple[str, Dict[str, Any]]] = field(default_factory=list)
    _events: List[Event] = field(default_factory=list)

    def observe(self, method: str, params: Dict[str, Any]) -> None:
        if self.message_id is None:
            self._early.append((method, params))
        else:
            self._collect(method, params, self.message_id)

    def began(self, message_id: str) -> None:
        """The response has come: this is the message to look for."""
        self.message_id = message_id
        early, self._early = self._early, []
        for method, params in early:
            self._collect(method, params, message_id)

    def _collect(self, method: str, params: Dict[str, Any], message_id: str) -> None:
        if self.result is not None:
            return
        if method == "session.event":
            event = params["event"]
            if self._events or _is_receipt(event, message_id):
                self._events.append(event)
        elif method == "session.status" and params["status"] == "idle" and self._events:
            self.result = RunResult(
                session_id=self.session_id,
                message_id=message_id,
                final_response=_last_answer(self._events),
                finish_reason=_last_reason(self._events),
                events=tuple(self._events),
            )


def _is_receipt(event: Event, message_id: str) -> bool:
    if event["type"] != "agent/inbox/spliced":
        return False
    return any(message["id"] == message_id for message in event["data"]["inserted"])


def _last_answer(events: List[Event]) -> str:
    for event in reversed(events):
        if event["type"] == "assistant/message":
            return str(event["data"]["message"]["text"])
    return ""


def _last_reason(events: List[Event]) -> Optional[str]:
    for event in reversed(events):
        if event["type"] == "turn/end":
            return str(event["data"]["reason"]["kind"])
    return None
