"""What stands beside an OpenVidu server: an application server's calls, shaped as openvidu-node-client
sends them, and a receiver of its webhooks."""

import json

import requests

from .local_server import Handler, LocalServer
from .waiting import wait_for


class Application:
    """The calls of an application server."""

    def __init__(self, server, secret):
        self.base = f"http://{server.host}:{server.port}"
        self._http = requests.Session()
        self._http.auth = ("OPENVIDUAPP", secret)

    def post(self, path, body=None):
        if body is None:
            # As axios sends no body.
            return self._http.post(f"{self.base}/openvidu/api/{path}", headers={
                "Content-Type": "application/x-www-form-urlencoded"})
        return self._http.post(
            f"{self.base}/openvidu/api/{path}", data=json.dumps(body),
            headers={"Content-Type": "application/json"})

    def patch(self, path, body):
        return self._http.patch(
            f"{self.base}/openvidu/api/{path}", data=json.dumps(body),
            headers={"Content-Type": "application/json"})

    def get(self, path):
        return self._http.get(f"{self.base}/openvidu/api/{path}", headers={
            "Content-Type": "application/x-www-form-urlencoded"})

    def delete(self, path):
        return self._http.delete(f"{self.base}/openvidu/api/{path}", headers={
            "Content-Type": "application/x-www-form-urlencoded"})

    def download(self, url):
        return self._http.get(url)

    def open(self, room, **properties):
        """A session as `createSession` makes it."""
        answer = self.post("sessions", {
            "mediaMode": "ROUTED", "recordingMode": "MANUAL", "customSessionId": room,
            "forcedVideoCodec": "MEDIA_SERVER_PREFERRED", "allowTranscoding": False,
            "defaultRecordingProperties": {
                "name": "", "hasAudio": True, "hasVideo": True, "outputMode": "COMPOSED",
                "recordingLayout": "BEST_FIT", "resolution": "1280x720", "frameRate": 25,
                "shmSize": 536870912}} | properties)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def connect(self, room, **properties):
        """A connection as `createConnection` makes it."""
        answer = self.post(f"sessions/{room}/connection", {
            "type": "WEBRTC", "data": "", "record": True, "role": "PUBLISHER",
            "kurentoOptions": {}, "customIceServers": []} | properties)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def wait_for_recording(self, recording, status, timeout=90):
        def found():
            shown = self.get(f"recordings/{recording}").json()
            return shown if shown.get("status") == status else None

        return wait_for(f"recording {recording} is {status}", found, timeout)


class EventReceiver(LocalServer):
    """Gets events; each has the header that it was set up with."""

    HEADER = ("X-Key", "a key of the receiver")

    def __init__(self):
        self.events = []
        self.errors = []
        receiver = self

        class Hooks(Handler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                name, value = EventReceiver.HEADER
                if self.headers[name] != value:
                    receiver.errors.append(f"{name} is {self.headers[name]}")
                receiver.events.append(json.loads(body))
                self.answer(200)

        super().__init__(Hooks)

    @property
    def settings(self):
        return {"ROOMCAST_OPENVIDU_WEBHOOK_URL": f"{self.base}/events",
                "ROOMCAST_OPENVIDU_WEBHOOK_HEADERS": ": ".join(self.HEADER)}

    def of(self, room, *names):
        """The events of a session in order of arrival."""
        return [one for one in list(self.events)
                if one["sessionId"] == room and (not names or one["event"] in names)]

    def wait_for(self, room, name, accept=lambda event: True, timeout=30):
        return wait_for(
            f"{name} of {room}",
            lambda: next((one for one in self.of(room, name) if accept(one)), None), timeout)

    def close(self):
        super().close()
        assert not self.errors, self.errors
