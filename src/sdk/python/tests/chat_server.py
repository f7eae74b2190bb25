"""A chat-completions endpoint on loopback, as small as these tests need it."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional


class ChatServer:
    """Answers request n with answer n, the last one for ever.

    An answer is ``{"text": …}``, with an optional ``finish`` and an optional ``hold``, an event that is waited for;
    ``{"call": name, "arguments": {…}}``; or ``{"status": …}``.
    """

    def __init__(self, *answers: Dict[str, Any]) -> None:
        self.requests: List[Dict[str, Any]] = []
        self._answers = answers
        self._arrived = threading.Condition()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802 (the name is http.server's)
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                owner._answer(self, body)

            def log_message(self, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def received(self, count: int) -> None:
        """Returns once ``count`` requests have come."""
        with self._arrived:
            self._arrived.wait_for(lambda: len(self.requests) >= count)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler, body: Dict[str, Any]) -> None:
        with self._arrived:
            self.requests.append(body)
            answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
            self._arrived.notify_all()
        if "status" in answer:
            handler.send_response(answer["status"])
            handler.send_header("content-length", "0")
            handler.end_headers()
            return
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        hold: Optional[threading.Event] = answer.get("hold")
        try:
            self._send(handler, {"role": "assistant", "content": ""}, None)
            if hold is not None:
                hold.wait()
            if "call" in answer:
                function = {"name": answer["call"], "arguments": json.dumps(answer["arguments"])}
                self._send(handler, {"tool_calls": [{"index": 0, "id": "call", "type": "function", "function": function}]}, None)
                self._send(handler, {}, "tool_calls")
            else:
                self._send(handler, {"content": answer["text"]}, None)
                self._send(handler, {}, answer.get("finish", "stop"))
            handler.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # the agent hung up, as it does when a turn is cancelled

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, delta: Dict[str, Any], finish: Optional[str]) -> None:
        chunk = {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        handler.wfile.flush()
