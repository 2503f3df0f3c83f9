"""Debian's Janus with one video room, and nothing else of it."""

import pathlib

from .job import Unfit
from .processes import end, spawn, until

LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu/janus")
PORT = 18088  # in a namespace that nobody else uses
ROOM = 1234
# The other plugins would not load without further configuration, and nobody uses them.
PLUGINS = "videoroom"
TRANSPORTS = "http"


class Janus:
    """Runs in the namespace; `endpoint` is its HTTP interface. Without event loops it has one
    thread for each peer connection."""

    def __init__(self, directory, namespace, address, publishers, event_loops=0):
        self.endpoint = f"http://127.0.0.1:{PORT}/janus"
        self._namespace = namespace
        for kind, name in (("plugins", PLUGINS), ("transports", TRANSPORTS)):
            folder = directory / kind
            folder.mkdir()
            library = f"libjanus_{name}.so"
            (folder / library).symlink_to(LIBRARIES / kind / library)
        self._write(directory, address, publishers, event_loops)
        self._log = directory / "janus.log"
        # If it crashes, the files it leaves behind are removed with its directory.
        command = [
            "env", f"--chdir={directory}", "janus", "--configs-folder", directory,
            "--disable-colors"]
        self.process = spawn([*namespace.prefix, *command], self._log)

    @staticmethod
    def _write(directory, address, publishers, event_loops):
        loops = f"event_loops={event_loops};" if event_loops else ""
        files = {
            "janus": f"""
                general: {{ configs_folder="{directory}"; plugins_folder="{directory}/plugins";
                    transports_folder="{directory}/transports"; debug_level=2; session_timeout=0;
                    {loops} }}
                media: {{ rtp_port_range="20000-24000"; }}
                nat: {{ ice_enforce_list="{address}"; }}
                """,
            "janus.transport.http": f"""
                general: {{ json="compact"; base_path="/janus"; http=true; port={PORT};
                    ip="127.0.0.1"; https=false; }}
                admin: {{ admin_http=false; }}
                """,
            "janus.plugin.videoroom": f"""
                general: {{ }}
                room-{ROOM}: {{ description="load"; publishers={publishers}; bitrate=2000000;
                    audiocodec="opus"; videocodec="vp8"; audiolevel_ext=true; }}
                """,
        }
        for name, text in files.items():
            (directory / f"{name}.jcfg").write_text(text)

    def __enter__(self):
        until("Janus' start", self._is_up)
        return self

    def _is_up(self):
        if self.process.poll() is not None:
            raise Unfit(f"Janus ended:\n{self._log.read_text()[-2000:]}")
        try:
            self._namespace.connect("127.0.0.1", PORT).close()
        except OSError:
            return False
        return True

    def __exit__(self, *_):
        end(self.process)
