"""Prosody as a Jitsi deployment sets it up (docker-jitsi-meet's jitsi-meet.cfg.lua)."""

import contextlib
import json
import shutil
import socket
from pathlib import Path

from .prosody import Prosody
from .server import REPOSITORY, free_port

DOMAIN = "meet.test"
AUTH, HIDDEN = f"auth.{DOMAIN}", f"hidden.{DOMAIN}"
ROOMS, INTERNAL, FOCUS = f"muc.{DOMAIN}", f"internal-muc.{DOMAIN}", f"focus.{DOMAIN}"
LOBBIES = f"lobby.{DOMAIN}"
BREWERY = f"jibribrewery@{INTERNAL}"
SECRET = "component secret"

ACCOUNTS = {AUTH: {"focus": "focus secret", "jibri": "jibri secret"},
            HIDDEN: {"recorder": "recorder secret"}}

HOSTS = f"""
VirtualHost "{DOMAIN}" ssl = own
    authentication = "anonymous"
VirtualHost "{AUTH}" ssl = own
VirtualHost "{HIDDEN}" ssl = own
Component "{ROOMS}" "muc"
    admins = {{ "focus@{AUTH}" }}
    restrict_room_creation = true
    muc_room_locking = false
    muc_room_default_public_jids = true
    modules_enabled = {{ "lobby" }}
    lobby_domain = "{LOBBIES}"
Component "{LOBBIES}" "muc"
    admins = {{ "focus@{AUTH}" }}
    restrict_room_creation = true
    muc_room_locking = false
    muc_room_default_public_jids = true
Component "{INTERNAL}" "muc"
    admins = {{ "focus@{AUTH}" }}
    restrict_room_creation = true
    muc_room_locking = false
    muc_room_default_public_jids = true
Component "{FOCUS}"
    component_secret = "{SECRET}"
"""


# As deploy/prosody-jitsi.cfg.lua has them: the focus and the recorders are components, without an
# account.
RECORDERS = f"recorder.{DOMAIN}"
OWN_HOSTS = f"""
VirtualHost "{DOMAIN}" ssl = own
    authentication = "anonymous"
    modules_enabled = {{ "jitsi_identities" }}
    jitsi_identities = {{
        av_moderation = "{FOCUS}", end_conference = "{FOCUS}", lobbyrooms = "{LOBBIES}" }}
VirtualHost "{AUTH}" ssl = own
VirtualHost "{HIDDEN}" ssl = own
Component "{ROOMS}" "muc"
    storage = "memory"
    admins = {{ "focus@{FOCUS}" }}
    restrict_room_creation = true
    muc_room_locking = false
    muc_room_default_public_jids = true
    modules_enabled = {{ "jitsi_lobby", "jitsi_meeting", "reinvite" }}
    lobby_domain = "{LOBBIES}"
    lobby_admits = {{ "{FOCUS}", "{RECORDERS}", "{HIDDEN}" }}
    recorder_domain = "{HIDDEN}"
Component "{LOBBIES}" "muc"
    storage = "memory"
    restrict_room_creation = true
    muc_room_locking = false
    muc_room_default_public_jids = true
    modules_enabled = {{ "jitsi_lobby" }}
    lobby_of = "{ROOMS}"
Component "{FOCUS}"
    component_secret = "{SECRET}"
Component "{RECORDERS}"
    component_secret = "{SECRET}"
"""


def focus_settings(prosody):
    return json.dumps({"server": f"127.0.0.1:{prosody.component_port}", "component": FOCUS,
                       "rooms": ROOMS, "recorders": RECORDERS, "secret": SECRET})


@contextlib.contextmanager
def beside_a_server():
    """A running Prosody for rooms of our own."""
    with contextlib.closing(JitsiProsody(OWN_HOSTS)) as prosody:
        prosody.start()
        yield prosody


class JitsiProsody(Prosody):
    """Its main domain lets anybody in, and whoever logs in to the hidden one is not shown. Those of
    `OWN_HOSTS` are invited anew by `reload`."""

    def __init__(self, hosts=HOSTS, namespace=None):
        self.component_port = free_port(socket.SOCK_STREAM)
        super().__init__(
            ACCOUNTS, hosts, [DOMAIN, AUTH, HIDDEN, "127.0.0.1"], DOMAIN, f"""
            component_ports = {{ {self.component_port} }}
            component_interfaces = {{ "127.0.0.1" }}
            smacks_hibernation_time = 20  -- for how long those who are killed seem to be there
            """, namespace=namespace)

    def _configure(self, hosts, names, main, more):
        # Beside the configuration, where its user may read them.
        modules = self.directory / "modules"
        for folder in Path(__file__).parent / "prosody_modules", REPOSITORY / "deploy/prosody":
            shutil.copytree(folder, modules, dirs_exist_ok=True)
        super()._configure(hosts, names, main, f'plugin_paths = {{ "{modules}" }}\n' + more)
