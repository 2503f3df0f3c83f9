"""A server that streams are pushed to: nginx with its RTMP module, which forgets what it gets."""

import contextlib
import os
import socket
import subprocess

from .processes import end, until

EXECUTABLE = "/usr/sbin/nginx"
MODULE = "/usr/lib/nginx/modules/ngx_rtmp_module.so"


def is_listening(port):
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 5).close()
        return True
    return False


@contextlib.contextmanager
def receiver(directory):
    """The address of its application; a stream's key comes after it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = directory / "nginx.conf"
    configuration.write_text(
        f"load_module {MODULE};\ndaemon off;\nmaster_process off;\n"
        + ("user root;\n" if os.geteuid() == 0 else "")
        + f"pid {directory}/nginx.pid;\nerror_log {directory}/nginx.log;\nevents {{}}\n"
        f"rtmp {{ server {{ listen 127.0.0.1:{port}; access_log off;"
        " application live { live on; } } }\n")
    process = subprocess.Popen(
        [EXECUTABLE, "-p", directory, "-e", directory / "nginx.log", "-c", configuration],
        stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        until("nginx' start", lambda: is_listening(port))
        yield f"rtmp://127.0.0.1:{port}/live"
    finally:
        end(process)
