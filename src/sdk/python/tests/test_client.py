"""The Python SDK against the built server: ``python3 -m unittest`` in ``src/sdk/python``, after ``npm run build``."""

from __future__ import annotations

import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest
from typing import Any, Dict, List

from turnpin import Client, RunResult, ServerError, ServerExitError, StartTimeoutError
from turnpin.run import RunCollector

from .chat_server import ChatServer

AGENT = pathlib.Path(__file__).resolve().parents[4] / "dist" / "bin" / "turnpin-agent.js"
SERVE = ("node", str(AGENT), "serve")


class Case(unittest.TestCase):
    def setUp(self) -> None:
        if not AGENT.exists():
            self.fail('dist/ is missing: run "npm run build" first.')

    def place(self, *answers: Dict[str, Any], config: str = "") -> "tuple[Client, ChatServer]":
        server = ChatServer(*answers)
        self.addCleanup(server.close)
        workspace = self.workspace()
        (pathlib.Path(workspace) / "agent.yaml").write_text(config)
        client = Client(workspace, command=SERVE, env=self.env(workspace, server.base_url))
        self.addCleanup(client.close)
        return client, server

    def workspace(self) -> str:
        folder = tempfile.TemporaryDirectory(prefix="turnpin-python-")
        self.addCleanup(folder.cleanup)
        return folder.name

    @staticmethod
    def env(workspace: str, base_url: str) -> Dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": workspace,
            "XDG_STATE_HOME": os.path.join(workspace, ".state"),
            "DEEPSEEK_BASE_URL": base_url,
            "DEEPSEEK_API_KEY": "test-key",
        }

    def fake(self, body: str) -> "tuple[str, ...]":
        """A server that misbehaves: a script in place of the real one."""
        path = pathlib.Path(self.workspace()) / "server.py"
        path.write_text(
            "import json, os, signal, sys, time\n"
            "def send(frame): sys.stdout.write(json.dumps({'jsonrpc': '2.0', **frame}) + '\\n'); sys.stdout.flush()\n"
            "for line in sys.stdin:\n"
            "    frame = json.loads(line)\n"
            "    if frame['method'] == 'initialize': send({'id': frame['id'], 'result': {}}); continue\n"
            + "".join(f"    {line}\n" for line in body.splitlines())
        )
        return (sys.executable, str(path))


class LowLevelCalls(Case):
    def test_a_prompt_returns_its_receipt_while_its_turn_still_runs(self) -> None:
        hold = threading.Event()
        client, _ = self.place({"text": "Answer.", "hold": hold})
        with client.events("s") as events:
            message_id = client.prompt("s", "hello")
            hold.set()
            first = next(events)
            self.assertEqual(first["data"]["inserted"][0]["id"], message_id)
            types = [first["type"]]
            while types[-1] != "turn/end":
                types.append(next(events)["type"])
        self.assertIn("assistant/message", types)

    def test_steer_inject_and_cancel_reach_the_session(self) -> None:
        hold = threading.Event()
        self.addCleanup(hold.set)
        client, server = self.place({"text": "never", "hold": hold})
        events = client.events("s")
        client.prompt("s", [{"type": "text", "text": "hello"}])
        server.received(1)
        self.assertTrue(client.steer("s", "steered"))
        self.assertTrue(client.inject("s", "context"))
        client.cancel("s")
        reason = next(event for event in events if event["type"] == "turn/end")["data"]["reason"]
        self.assertEqual(reason, {"kind": "aborted", "cause": "user"})

    def test_a_closed_session_is_unknown_until_a_prompt_resumes_it(self) -> None:
        client, server = self.place({"text": "First."}, {"text": "Second."})
        client.run("s", "one")
        client.close_session("s")
        with self.assertRaises(ServerError) as unknown:
            client.close_session("s")
        self.assertEqual(unknown.exception.rpc_code, -32002)
        self.assertEqual(client.run("s", "two").final_response, "Second.")
        said = [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "user"]
        self.assertEqual(said, ["one", "two"])

    def test_an_error_of_the_server_is_raised_with_its_code(self) -> None:
        client, _ = self.place({"text": "never"})
        with self.assertRaises(ServerError) as unknown:
            client.cancel("nobody")
        self.assertEqual(unknown.exception.rpc_code, -32002)
        with self.assertRaises(ServerError) as unsafe:
            client.prompt("../x", "hello")
        self.assertEqual(unsafe.exception.reason, "SESSION_ID_UNSAFE")

    def test_large_frames_work_both_ways(self) -> None:
        for size in (65_535, 65_536, 70_000, 5 * 1024 * 1024):
            with self.subTest(size=size):
                client, server = self.place({"text": "a" * size})
                self.assertEqual(len(client.run("s", "b" * size).final_response), size)
                self.assertEqual(len(server.requests[0]["messages"][-1]["content"]), size)
                client.close()


class OwnedRuns(Case):
    def test_the_result_is_the_last_answer_of_the_interval(self) -> None:
        client, _ = self.place({"text": "Answer."})
        result = client.run("s", "hello")
        self.assertEqual((result.session_id, result.final_response, result.finish_reason), ("s", "Answer.", "completed"))
        self.assertEqual(result.events[0]["data"]["inserted"][0]["id"], result.message_id)
        self.assertEqual(result.events[-1]["type"], "turn/end")

    def test_it_has_no_prompt_level_status_or_reason(self) -> None:
        names = set(RunResult.__dataclass_fields__)
        self.assertEqual(names, {"session_id", "message_id", "final_response", "finish_reason", "events"})

    def test_finish_reason_is_the_kind_of_the_last_turn_that_ended(self) -> None:
        client, _ = self.place({"text": "Cut", "finish": "length"}, {"status": 400}, {"text": "Fine."})
        kinds = [client.run("s", text).finish_reason for text in ("one", "two", "three")]
        self.assertEqual(kinds, ["max-tokens", "error", "completed"])

    def test_other_queued_turns_of_the_interval_are_in_it(self) -> None:
        hold = threading.Event()
        client, server = self.place({"text": "First.", "hold": hold}, {"text": "Cut", "finish": "length"})
        results: List[RunResult] = []
        run = threading.Thread(target=lambda: results.append(client.run("s", "one")))
        run.start()
        server.received(1)
        client.prompt("s", "two")
        hold.set()
        run.join()
        self.assertEqual((results[0].final_response, results[0].finish_reason), ("Cut", "max-tokens"))

    def test_a_timeout_leaves_the_session_running(self) -> None:
        hold = threading.Event()
        client, _ = self.place({"text": "Late.", "hold": hold}, {"text": "Next."})
        with self.assertRaises(TimeoutError):
            client.run("s", "one", timeout=0.2)
        hold.set()
        self.assertEqual(client.run("s", "two").final_response, "Next.")

    def test_finish_reason_is_none_when_no_turn_ended(self) -> None:
        collector = RunCollector("s")
        collector.observe("session.status", {"status": "idle"})
        receipt = {"type": "agent/inbox/spliced", "data": {"inserted": [{"id": "m"}]}}
        collector.observe("session.event", {"event": receipt})
        collector.began("m")
        self.assertIsNone(collector.result)
        collector.observe("session.status", {"status": "idle"})
        assert collector.result is not None
        self.assertIsNone(collector.result.finish_reason)
        self.assertEqual(collector.result.final_response, "")

    def test_a_receipt_that_arrives_before_the_response_is_not_lost(self) -> None:
        command = self.fake(
            "if frame['method'] == 'shutdown': sys.exit(0)\n"
            "def note(method, **params): send({'method': method, 'params': {'sessionId': 's', **params}})\n"
            "sys.stdout.write('not a frame\\n[]\\n')\n"
            "send({'id': {}, 'result': 1})\n"
            "note('session.status', status='idle')\n"
            "note('session.event', event={'type': 'agent/inbox/spliced', 'data': {'inserted': [{'id': 'm'}]}})\n"
            "note('session.event', event={'type': 'assistant/message', 'data': {'message': {'text': 'Quick.'}}})\n"
            "note('session.status', status='idle')\n"
            "send({'id': frame['id'], 'result': {'messageId': 'm'}})"
        )
        with Client(command=command) as client:
            self.assertEqual(client.run("s", "hello").final_response, "Quick.")


class Children(Case):
    CALL = {
        "call": "subagent",
        "arguments": {"description": "survey", "prompt": "Survey the coast.", "run_in_background": False},
    }

    def test_their_news_come_in_one_order_and_never_enter_a_run_of_their_root(self) -> None:
        client, _ = self.place(self.CALL, {"text": "The port is closed."}, {"text": "Then no."}, config="subagents: true\n")
        with client.subagents("main") as stream, client.subagents("other") as others:
            result = client.run("main", "May we land?")
            news = [next(stream)]
            while news[-1].kind != "finished":
                news.append(next(stream))
            client.close()
            self.assertEqual(list(others), [])
        first = news[0]
        self.assertEqual(
            (first.kind, first.parent_session_id, first.mode, first.label, first.resumed),
            ("started", "main", "isolated", "survey", False),
        )
        self.assertEqual({one.session_id for one in news}, {first.session_id})
        self.assertEqual(news[-1].outcome, "completed")
        seqs = [one.event["seq"] for one in news if one.event is not None]
        self.assertEqual(seqs, list(range(len(seqs))))
        types = [one.event["type"] for one in news if one.event is not None]
        self.assertEqual((types[0], types[-1]), ("subagent/descriptor", "turn/end"))
        self.assertEqual([one.status for one in news if one.kind == "status"], ["running", "idle"])
        self.assertEqual((result.final_response, result.finish_reason), ("Then no.", "completed"))
        self.assertEqual([event["seq"] for event in result.events], list(range(len(result.events))))
        self.assertNotIn("subagent/descriptor", [event["type"] for event in result.events])


class AServerThatIsGone(Case):
    def test_killed_everything_pending_is_raised_at_once_and_later_calls_fail_fast(self) -> None:
        hold = threading.Event()
        self.addCleanup(hold.set)
        client, server = self.place({"text": "never", "hold": hold})
        errors: List[BaseException] = []

        def run(session: str) -> None:
            try:
                client.run(session, "hello")
            except ServerExitError as error:
                errors.append(error)

        runs = [threading.Thread(target=run, args=(name,)) for name in ("a", "b", "c")]
        for thread in runs:
            thread.start()
        server.received(3)
        os.kill(client.pid, signal.SIGKILL)
        for thread in runs:
            thread.join()
        self.assertEqual([getattr(error, "returncode", None) for error in errors], [-9, -9, -9])
        with self.assertRaises(ServerExitError):
            client.prompt("a", "late")
        with self.assertRaises(ServerExitError):
            next(client.events("a"))

    def test_an_error_names_the_exit_code_and_the_last_words(self) -> None:
        client = Client(command=self.fake("print('out of luck', file=sys.stderr); sys.exit(7)"))
        with self.assertRaises(ServerExitError) as gone:
            client.prompt("s", "hello")
        self.assertIn("exited with code 7. It said: out of luck", str(gone.exception))
        client.close()

    def test_one_that_fails_to_start_says_why(self) -> None:
        workspace = self.workspace()
        (pathlib.Path(workspace) / "agent.yaml").write_text("modle: x\n")
        with self.assertRaises(ServerExitError) as gone:
            Client(workspace, command=SERVE, env=self.env(workspace, "http://127.0.0.1:1"))
        self.assertEqual(gone.exception.returncode, 2)
        self.assertIn('unknown key "modle"', gone.exception.stderr)

    def test_one_that_starts_and_never_answers_is_ended_and_the_error_says_what_it_said(self) -> None:
        path = pathlib.Path(self.workspace()) / "mute.py"
        # It ends at the end of input, as soon as it is up and has spoken: the wait for it is as long as that takes.
        path.write_text("import os, sys\nprint('warming up', os.getpid(), file=sys.stderr)\nsys.stdin.read()\n")
        with self.assertRaises(StartTimeoutError) as late:
            Client(command=(sys.executable, str(path)), start_timeout=0.001, grace=threading.TIMEOUT_MAX)
        self.assertIsInstance(late.exception, TimeoutError)
        pid = late.exception.stderr.split()[-1]
        self.assertEqual(
            str(late.exception),
            'The server did not answer "initialize" within 0.001 seconds and was ended. '
            f"It was started as: {sys.executable} {path}. It said: warming up {pid}\n"
            'Check that this command runs "turnpin-agent serve"; if it only needs longer, set start_timeout.',
        )
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid), 0)

    def test_one_whose_child_holds_its_output_is_gone_all_the_same(self) -> None:
        command = self.fake(
            "import subprocess\n"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
            "with open(__file__ + '.child', 'w') as noted: noted.write(str(child.pid))\n"
            "os._exit(7)"
        )
        client = Client(command=command)
        with self.assertRaises(ServerExitError) as gone:
            client.prompt("s", "hello")
        os.kill(int(pathlib.Path(command[1] + ".child").read_text()), signal.SIGKILL)
        self.assertEqual(gone.exception.returncode, 7)
        client.close()

    def test_a_command_that_does_not_exist_is_said_as_such(self) -> None:
        with self.assertRaisesRegex(ServerExitError, "could not be started"):
            Client(command=("/no/such/server",))


class Close(Case):
    def test_it_is_idempotent_and_iterators_end_quietly(self) -> None:
        client, _ = self.place({"text": "Answer."})
        events = client.events("s")
        with client:
            client.run("s", "hello")
        client.close()
        self.assertEqual([event["type"] for event in events][-1], "turn/end")
        self.assertEqual(list(client.events("s")), [])

    def test_it_ends_a_server_that_ignores_everything(self) -> None:
        command = self.fake("signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)")
        client = Client(command=command, grace=0.2)
        pid = client.pid
        threading.Thread(target=lambda: self._quietly(client), daemon=True).start()
        client.close()
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_it_ends_a_server_that_reads_no_more(self) -> None:
        path = pathlib.Path(self.workspace()) / "deaf.py"
        path.write_text(
            "import json, sys, time\n"
            "number = json.loads(sys.stdin.readline())['id']\n"
            "print(json.dumps({'jsonrpc': '2.0', 'id': number, 'result': {}}), flush=True)\n"
            "time.sleep(600)\n"
        )
        client = Client(command=(sys.executable, str(path)), grace=0.2)
        stdin = client._server._process.stdin
        assert stdin is not None
        os.set_blocking(stdin.fileno(), False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(stdin.fileno(), b"\n" * 4096)
        os.set_blocking(stdin.fileno(), True)
        waiting = threading.Thread(target=lambda: self._quietly(client), daemon=True)
        waiting.start()
        client.close()
        waiting.join()

    @staticmethod
    def _quietly(client: Client) -> None:
        try:
            client.prompt("s", "hello")
        except ServerExitError:
            pass


if __name__ == "__main__":
    unittest.main()
