"""A double of the server for tests: the probe's routes over the ledger, in this process or its own."""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opatlas_probe.ledger import Ledger, Refused

PROJECT = "pytorch"
_PREFIX = ["v1", "projects", PROJECT, "probe"]
_MOST_BYTES = 64 << 20


class Server(ThreadingHTTPServer):
    """Serves one project. Requests that fail with 503 first exercise the client's repetition."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, ledger: Ledger, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.ledger, self.lock, self.failing = ledger, threading.Lock(), 0

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A worker that was killed does not read its answer."""

    def start(self) -> "Server":
        """Serves in a thread."""
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:  # noqa: N802: the library's name
        """Reads."""
        self._answer(None)

    def do_POST(self) -> None:  # noqa: N802
        """Changes something."""
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(min(length, _MOST_BYTES))
        try:
            if len(body) != length:
                raise Refused(400, "malformed-body", f"the body ends after {len(body)} of {length} bytes.")
            given = json.loads(body)
            if not isinstance(given, dict):
                raise Refused(400, "malformed-body", "the body must be an object.")
        except ValueError as error:
            self._send(*_problem(Refused(400, "malformed-body", f"the body is not JSON: {error}.")))
        except Refused as refused:
            self._send(*_problem(refused))
        else:
            self._answer(given)

    def _answer(self, given: dict | None) -> None:
        with self.server.lock:
            if self.server.failing > 0:
                self.server.failing -= 1
                status, answer = _problem(Refused(503, "busy", "try again."))
            else:
                try:
                    status, answer = self._route(given)
                except Refused as refused:
                    status, answer = _problem(refused)
        self._send(status, answer)

    def _route(self, given: dict | None) -> tuple[int, dict]:
        parts = self.path.strip("/").split("/")
        if parts[:4] != _PREFIX:
            raise Refused(404, "unknown-project", f"there is no project at {self.path}.")
        ledger, now, token = self.server.ledger, time.monotonic(), self.headers.get("Authorization")
        match (self.command, *parts[4:]):
            case ("POST", "runs"):
                run = ledger.open(given)
                return 200, {"run": run.id, "shards": len(run.shards)}
            case ("GET", "runs", run):
                return 200, ledger.progress(run, now)
            case ("GET", "runs", run, "results"):
                return 200, {"rows": ledger.results(run)}
            case ("POST", "runs", run, "lease"):
                return 200, ledger.lease(run, given.get("worker", {}), now, token)
            case ("POST", "runs", run, "shards", number):
                return (201 if ledger.result(run, int(number), given, now, token) else 200), {}
            case ("POST", "runs", run, "shards", number, "renew"):
                ledger.renew(run, int(number), given, now, token)
                return 200, {}
            case ("POST", "runs", run, "shards", number, "release"):
                ledger.release(run, int(number), given["lease"], now, token)
                return 200, {}
            case ("POST", "tables"):
                return (201 if ledger.add_tables(given) else 200), {}
        raise Refused(404, "unknown-route", f"there is nothing at {self.path}.")

    def _send(self, status: int, answer: dict) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/problem+json" if "type" in answer else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keeps quiet."""


def _problem(refused: Refused) -> tuple[int, dict]:
    return refused.status, {"type": f"/problems/{refused.kind}", "title": refused.kind, "status": refused.status,
                            "detail": refused.detail}


if __name__ == "__main__":
    served = Server(Ledger(json.loads(sys.argv[2])), int(sys.argv[1]))
    print(served.url, flush=True)
    served.serve_forever()
