"""What becomes of the children of a session, in one order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, Mapping, Optional

from .run import Event


@dataclass(frozen=True)
class SubagentNews:
    """``started`` precedes what an epoch of the child records, ``finished`` follows it."""

    #: ``"started"``, ``"event"``, ``"status"`` or ``"finished"``; the fields below that belong to another are None.
    kind: str
    #: The child's own session.
    session_id: str
    parent_session_id: str
    #: ``"isolated"`` or ``"continuable"``.
    mode: str
    label: str
    #: With ``started``: does the child go on with an earlier session?
    resumed: Optional[bool] = None
    #: With ``event``: what its session recorded.
    event: Optional[Event] = None
    #: With ``status``: ``"running"`` or ``"idle"``.
    status: Optional[str] = None
    #: With ``finished``: how the epoch ended.
    outcome: Optional[str] = None


@dataclass
class SubagentWatch:
    """Picks out the news of every child below one session."""

    root: str
    _below: Dict[str, SubagentNews] = field(default_factory=dict)

    def pick(self, method: str, params: Mapping[str, Any]) -> Optional[SubagentNews]:
        """The news in a notification; None where it is of somebody else."""
        if method in ("subagent.started", "subagent.finished"):
            return self._epoch(method, params)
        child = self._below.get(params.get("sessionId", ""))
        if child is None:
            return None
        if method == "session.event":
            return replace(child, kind="event", event=params["event"])
        if method == "session.status":
            return replace(child, kind="status", status=params["status"])
        return None

    def _epoch(self, method: str, params: Mapping[str, Any]) -> Optional[SubagentNews]:
        parent = params["parentSessionId"]
        if parent != self.root and parent not in self._below:
            return None
        child = SubagentNews("started", params["sessionId"], parent, params["mode"], params["label"])
        if method == "subagent.finished":
            return replace(child, kind="finished", outcome=params["outcome"])
        self._below[child.session_id] = child
        return replace(child, resumed=params["resumed"])
