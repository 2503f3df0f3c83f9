"""Servers that streams are pushed to: nginx with its RTMP module, ffmpeg, srt-live-transmit; and
what may stand in front of them: a wire that slows down or stops, and TLS."""

import json
import os
import select
import socket
import ssl
import subprocess
import threading
import time

from .nginx import EXECUTABLE, STOP_TIMEOUT
from .server import free_port
from .waiting import wait_for

START_TIMEOUT = 60  # s
MODULE = "/usr/lib/nginx/modules/ngx_rtmp_module.so"


def end(process):
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
        return True
    except OSError:
        return False


def probe(path):
    """What ffprobe finds: each stream by its kind, and the number of its packets."""
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-count_packets", "-show_streams", "-of", "json", str(path)],
        capture_output=True, text=True)
    streams = json.loads(done.stdout or "{}").get("streams", [])
    return {one["codec_type"]: one for one in streams}, done.stderr


def decode_errors(path):
    """What ffmpeg complains about when it decodes a file."""
    return subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), "-f", "null", "-"],
                          capture_output=True, text=True).stderr


class NginxRTMP:
    """Its application `live` cuts HLS; `closed` lets nobody publish."""

    def __init__(self, directory):
        directory.mkdir(parents=True)
        self.directory = directory
        self.hls = directory / "hls"
        self.port = free_port(socket.SOCK_STREAM)
        self.base = f"rtmp://127.0.0.1:{self.port}"
        configuration = directory / "nginx.conf"
        configuration.write_text(
            f"load_module {MODULE};\ndaemon off;\npid {directory}/nginx.pid;\n"
            + ("user root;\n" if os.geteuid() == 0 else "")
            + f"error_log {directory}/error.log info;\nmaster_process off;\nevents {{}}\n"
            f"rtmp {{ server {{ listen 127.0.0.1:{self.port}; access_log off;\n"
            f"application live {{ live on; hls on; hls_path {self.hls}; hls_fragment 1s;"
            " hls_playlist_length 5m; hls_cleanup off; }\n"
            "application closed { live on; deny publish all; } } }\n")
        self._command = [EXECUTABLE, "-p", str(directory), "-e", f"{directory}/error.log",
                         "-c", str(configuration)]
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
        wait_for("nginx takes RTMP", lambda: is_listening(self.port), START_TIMEOUT)

    def stop(self):
        """At once, as when its machine goes away."""
        self.process.kill()
        self.process.wait()

    def segments(self, key):
        """The segments in its playlist of a key, oldest first."""
        playlist = self.hls / f"{key}.m3u8"
        if not playlist.exists():
            return []
        lines = playlist.read_text().splitlines()
        return [self.hls / line for line in lines if line and not line.startswith("#")]

    def length(self, key):
        """Of the stream so far, in seconds of its own clock."""
        last = self.segments(key)[-1]
        times = subprocess.run(
            ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time",
             "-of", "csv=p=0", str(last)], capture_output=True, text=True, check=True).stdout
        return max(float(one.strip(",")) for one in times.split())

    def close(self):
        end(self.process)


class FFmpegListener:
    """Takes one stream over RTMP and writes it into a file as it is."""

    def __init__(self, directory, name):
        self.port = free_port(socket.SOCK_STREAM)
        self.file = directory / f"{name}.flv"
        self.url = f"rtmp://127.0.0.1:{self.port}/app/{name}"
        self.process = subprocess.Popen(
            ["ffmpeg", "-v", "error", "-y", "-listen", "1", "-i", self.url, "-c", "copy",
             "-flush_packets", "1", str(self.file)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def has_ended(self):
        return self.process.poll() is not None

    def close(self):
        end(self.process)


class SRTListener:
    """`srt-live-transmit` that writes what comes into a file."""

    def __init__(self, directory, passphrase):
        self.port = free_port(socket.SOCK_DGRAM)
        self.file = directory / "srt.ts"
        self._file = self.file.open("wb")
        self.process = subprocess.Popen(
            ["srt-live-transmit", "-q", "-a:no", "-loglevel:fatal",
             f"srt://127.0.0.1:{self.port}?mode=listener&passphrase={passphrase}",
             "file://con"], stdin=subprocess.DEVNULL, stdout=self._file,
            stderr=subprocess.DEVNULL)

    def close(self):
        end(self.process)
        self._file.close()


class Wire:
    """Passes connections on to a port of this machine, at `rate` bytes a second: None for as fast
    as it can, 0 for not at all. With a context it is the TLS in front of that port."""

    BUFFER = 4096  # bytes in the kernel: what is not passed on soon holds up the sender

    def __init__(self, target, context=None):
        self.target = target
        self.context = context
        self.rate = None
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.BUFFER)
        self._socket.bind(("127.0.0.1", free_port(socket.SOCK_STREAM)))
        self._socket.listen()
        self.port = self._socket.getsockname()[1]
        self._closing = False
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self):
        while not self._closing:
            if not select.select([self._socket], [], [], 0.1)[0]:
                continue
            client, _ = self._socket.accept()
            thread = threading.Thread(target=self._pass, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _pass(self, client):
        try:
            client.settimeout(60)
            if self.context:
                client = self.context.wrap_socket(client, server_side=True)
            with client, socket.create_connection(("127.0.0.1", self.target), 60) as server:
                self._shovel(client, server)
        except OSError:
            client.close()

    def _shovel(self, client, server):
        while not self._closing:
            readable = [server] if self.rate == 0 else [client, server]
            if not (self.context and client.pending()) and \
                    not select.select(readable, [], [], 0.1)[0]:
                continue
            for one, other in ((client, server), (server, client)):
                if one not in readable:
                    continue
                has_more = self.context and one is client and client.pending()
                if not has_more and not select.select([one], [], [], 0)[0]:
                    continue
                data = one.recv(1024 if self.rate else 65536)
                if not data:
                    return
                other.sendall(data)
                if self.rate and one is client:
                    time.sleep(len(data) / self.rate)

    def close(self):
        self._closing = True
        for thread in self._threads:
            thread.join()
        self._socket.close()


def certificate(directory, name):
    """A certificate for a name, which is its own authority, and the context of its server."""
    file, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
         "-keyout", str(key), "-out", str(file)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return file, context
