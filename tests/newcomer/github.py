"""A double of GitHub's REST API with pull request 12 of octo/torch, whose head is the commit HEAD.

Writes its address to FILE.url, and the comments that it gets to FILE.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

FILE = sys.argv[1]
PULL = {"number": 12, "state": "open", "head": {"sha": os.environ["HEAD"]}}
BOT = {"login": "user", "type": "User"}
COMMENTS = []


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        answers = {
            "/user": BOT,
            "/repos/octo/torch/pulls/12": PULL,
            "/repos/octo/torch/issues/12/comments": COMMENTS,
        }
        path = self.path.split("?")[0]
        self.answer(200 if path in answers else 404, answers.get(path, {"message": "Not Found"}))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != "Bearer token" or not self.path.endswith("/12/comments"):
            return self.answer(404, {"message": "Not Found"})
        COMMENTS.append({"id": len(COMMENTS) + 1, "user": BOT, "body": body["body"]})
        with open(FILE, "a", encoding="utf-8") as file:
            file.write(body["body"] + "\n")
        return self.answer(201, COMMENTS[-1])

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
with open(FILE + ".new", "w", encoding="utf-8") as file:
    file.write(f"http://127.0.0.1:{server.server_port}")
os.rename(FILE + ".new", FILE + ".url")
server.serve_forever()
