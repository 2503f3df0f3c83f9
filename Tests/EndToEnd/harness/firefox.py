"""The distribution's Firefox over WebDriver BiDi, without a driver in between."""

import itertools
import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import websockets.sync.client

from . import tokens
from .server import free_port
from .waiting import wait_for

EXECUTABLE = "/usr/bin/firefox-esr"
COMMAND_TIMEOUT = 90  # s

PREFERENCES = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "media.autoplay.default": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Firefox:
    """One browser in a namespace. Its pages see the namespace's loopback, which is secure."""

    def __init__(self, namespace):
        # Its helper processes may still write after it has ended.
        self._profile = tempfile.TemporaryDirectory(
            prefix="roomcast-firefox-", ignore_cleanup_errors=True)
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items()]
        Path(self._profile.name, "user.js").write_text("\n".join(lines))
        port = free_port(socket.SOCK_STREAM)
        self.process = subprocess.Popen(
            [*namespace.prefix, EXECUTABLE, "--headless", "--no-remote",
             "--profile", self._profile.name, "--remote-debugging-port", str(port)],
            env=os.environ | {"HOME": self._profile.name, "TMPDIR": self._profile.name},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._ids = itertools.count(1)
        try:
            connection = wait_for("Firefox listens", lambda: self._open(namespace, port), 120)
            self._socket = websockets.sync.client.connect(
                f"ws://127.0.0.1:{port}/session", sock=connection, max_size=None, legacy=True
            )
            self.command("session.new", capabilities={})
            self.context = self._open_page()
        except BaseException:
            self.close()
            raise

    def _open(self, namespace, port):
        if self.process.poll() is not None:
            raise AssertionError(f"Firefox ended with {self.process.returncode}")
        try:
            return namespace.connect("127.0.0.1", port)
        except OSError:
            return None

    def _open_page(self):
        """A page that has the keyboard: in the first one the address bar keeps it, and on a page
        without it Enter presses no button."""
        first = self.command("browsingContext.getTree")["contexts"][0]["context"]
        page = self.command("browsingContext.create", type="tab")["context"]
        self.command("browsingContext.close", context=first)
        return page

    def take_keyboard(self):
        """Gives it back to the page, should Tab have led from there to the browser's own bars, or
        the address bar have taken it late, as it does while a busy machine starts the browser."""
        def has_keyboard():
            return self.evaluate("() => document.hasFocus()")

        if has_keyboard():
            return
        other = self.command("browsingContext.create", type="tab")["context"]
        self.command("browsingContext.close", context=other)
        wait_for("the page has the keyboard", has_keyboard, 30)

    def command(self, method, **parameters):
        identifier = next(self._ids)
        self._socket.send(json.dumps({"id": identifier, "method": method, "params": parameters}))
        deadline = time.monotonic() + COMMAND_TIMEOUT
        while True:
            message = json.loads(self._socket.recv(timeout=deadline - time.monotonic()))
            if message.get("id") != identifier:
                continue
            if message["type"] == "error":
                raise AssertionError(f"{method}: {message['error']}: {message['message']}")
            return message["result"]

    def navigate(self, url):
        self.command("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, function, argument=None):
        """Calls an (asynchronous) function of the page; argument and value travel as JSON."""
        argument = "" if argument is None else json.dumps(argument)
        result = self.command(
            "script.evaluate",
            expression=f"(async () => JSON.stringify((await ({function})({argument})) ?? null))()",
            target={"context": self.context},
            awaitPromise=True,
        )
        if result["type"] != "success":
            raise AssertionError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def preload(self, function):
        """Calls a function in each page before its own scripts; returns what `unload` takes."""
        return self.command("script.addPreloadScript", functionDeclaration=function)["script"]

    def unload(self, script):
        self.command("script.removePreloadScript", script=script)

    def elements(self, function, argument=None):
        """The ids of the elements that a function of the page returns; the argument as JSON."""
        argument = "" if argument is None else json.dumps(argument)
        result = self.command(
            "script.evaluate", expression=f"({function})({argument})", awaitPromise=False,
            target={"context": self.context},
            serializationOptions={"maxDomDepth": 0, "maxObjectDepth": 1})
        return [node["sharedId"] for node in result["result"]["value"]]

    def locate(self, role, name, among):
        """The ids of the given elements and their descendants that have this role and exactly this
        name in the accessibility tree."""
        if not among:
            return []
        try:
            found = self.command(
                "browsingContext.locateNodes", context=self.context,
                locator={"type": "accessibility", "value": {"role": role, "name": name}},
                startNodes=[{"sharedId": one} for one in among])
        except AssertionError as error:
            if "no such node" in str(error):
                return []  # one of them has gone since
            raise
        return [node["sharedId"] for node in found["nodes"]]

    def keys(self, *values):
        """Presses keys one after the other, as WebDriver numbers them."""
        self.take_keyboard()
        actions = [{"type": kind, "value": value}
                   for value in values for kind in ("keyDown", "keyUp")]
        self.command("input.performActions", context=self.context,
                     actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def resize(self, width, height):
        self.command("browsingContext.setViewport", context=self.context,
                     viewport={"width": width, "height": height})

    def enter(self, server, room, name, role="host"):
        """Joins a room by the room page, with the fake camera and microphone."""
        token = tokens.room_token(room, user=name.lower(), role=role)
        self.navigate(
            f"{server.base}/rooms/{room}?name={name}&auth_token={token}&skip_preview=true"
        )
        wait_for(
            f"{name} is in the room",
            lambda: self.evaluate(
                "() => document.querySelector('[data-testid=call]')?.hidden === false"
            ),
            90,
            interval=0.5,
        )

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._profile.cleanup()
