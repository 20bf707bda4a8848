"""Small local servers: one that speaks as much of the Hugging Face Hub's API as we use."""

import base64
import json
import ssl
import subprocess
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c" * 40


class Answers(BaseHTTPRequestHandler):
    """Hands out `files`, `redirects` and answers that are `raw` bytes; takes the Hub's commits.

    /headers and /body drip, a byte at a time, until the server ends.
    """

    files: dict
    redirects: dict
    raw: dict
    ended: threading.Event

    def log_message(self, *_):
        """Is silent."""

    def answer(self, content=b"", status=200, **headers):
        """Sends an answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def drip(self, begin):
        """Sends something, and then more and more of it."""
        self.wfile.write(begin)
        while not self.ended.wait(0.01):
            self.wfile.write(b"x")
            self.wfile.flush()

    def do_GET(self):
        """Serves a file, as the web and as the Hub do."""
        path = self.path.partition("?")[0].lstrip("/")
        if path in ("headers", "body"):
            ends = b"\r\n\r\n" if path == "body" else b"\r\nX: "
            with suppress(OSError):  # nobody reads any more
                self.drip(b"HTTP/1.0 200 OK" + ends)
            return None
        if path in self.raw:
            return self.wfile.write(self.raw[path])
        if path in self.redirects:
            return self.answer(status=302, Location=self.redirects[path])
        name = path.replace("resolve/main/", "").replace(f"resolve/{COMMIT}/", "")
        if name not in self.files:
            return self.answer(b"", 404, X_Error_Code="EntryNotFound")
        content = self.files[name]
        headers = {"ETag": f'"{hash(content) & 0xFFFFFFFF:x}"', "X-Repo-Commit": COMMIT}
        return self.answer(content, **headers)

    do_HEAD = do_GET

    def do_POST(self):
        """Makes a repository, says how files are sent, and takes a commit."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/repos/create"):
            made = json.loads(body)
            name = f"{made['organization']}/{made['name']}"
            return self.json({"url": f"https://huggingface.co/{name}", "name": name})
        if self.path.endswith("/validate-yaml"):
            return self.json({"errors": [], "warnings": []})
        if "/preupload/" in self.path:
            files = json.loads(body)["files"]
            how = {"uploadMode": "regular", "shouldIgnore": False}
            return self.json({"files": [{"path": one["path"], **how} for one in files]})
        repo = self.path.split("/models/")[1].split("/commit/")[0]
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                name = f"{repo}/{line['value']['path']}"
                self.files[name] = base64.b64decode(line["value"]["content"])
        url = f"https://huggingface.co/{repo}/commit/{COMMIT}"
        return self.json({"commitUrl": url, "commitOid": COMMIT, "success": True})

    def json(self, values):
        """Sends JSON."""
        self.answer(json.dumps(values).encode(), Content_Type="application/json")


@contextmanager
def serving(certificate=None):
    """Yields a server's address and its class of answers; with a certificate it speaks TLS."""
    held = {"files": {}, "redirects": {}, "raw": {}, "ended": threading.Event()}
    answers = type("Here", (Answers,), held)
    server = ThreadingHTTPServer(("127.0.0.1", 0), answers)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        scheme = "http" if certificate is None else "https"
        yield f"{scheme}://127.0.0.1:{server.server_port}", answers
    finally:
        answers.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def make_certificate(path):
    """Writes a key and a certificate for 127.0.0.1 that nobody but a test trusts."""
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    command += (
        f" -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout {path} -out {path}.crt"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + path.with_name(path.name + ".crt").read_bytes())
