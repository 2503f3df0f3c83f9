"""OpenVidu's own client for application servers, openvidu-node-client, unmodified, in Node.js."""

import contextlib
import json
import select
import subprocess

TIMEOUT = 90  # s; the server may take 30 s to stop a recording

# Runs what it is told, line by line: the body of a function that has the client's `openvidu`, and
# `kept`, where it may keep things.
DRIVER = """
// Standard output is ours.
console.log = console.info = console.error;
const [bundle, address, secret] = process.argv.slice(1);
const { OpenVidu } = require(bundle);
const openvidu = new OpenVidu(address, secret);
const kept = {};
const AsyncFunction = (async () => {}).constructor;
openvidu.enableProdMode?.();
// A session refers to its client.
const plain = (value) =>
  JSON.stringify(value ?? null, (key, inner) => (key === "ov" ? undefined : inner));
(async () => {
  for await (const line of require("node:readline").createInterface({ input: process.stdin })) {
    let answer;
    try {
      const body = new AsyncFunction("openvidu", "kept", JSON.parse(line));
      answer = `{"value":${plain(await body(openvidu, kept))}}`;
    } catch (error) {
      answer = JSON.stringify({ fault: String(error.message ?? error) });
    }
    process.stdout.write(answer + "\\n");
  }
})();
"""


class Application(contextlib.AbstractContextManager):
    """An application server with that client."""

    def __init__(self, bundle, server, secret):
        address = f"http://{server.host}:{server.port}/"
        self._process = subprocess.Popen(
            ["node", "-e", DRIVER, str(bundle), address, secret], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def run(self, body):
        """What a function's body returns."""
        answer = self._ask(body)
        assert "fault" not in answer, f"{body}: {answer}"
        return answer["value"]

    def fault(self, body):
        """What it throws: of this client the status, as a text."""
        answer = self._ask(body)
        assert "fault" in answer, f"{body}: {answer}"
        return answer["fault"]

    def _ask(self, body):
        self._process.stdin.write(json.dumps(body) + "\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], TIMEOUT)
        assert ready, f"no answer within {TIMEOUT} s: {body}"
        line = self._process.stdout.readline()
        assert line, f"Node.js has ended: {self._process.wait()}"
        return json.loads(line)

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
