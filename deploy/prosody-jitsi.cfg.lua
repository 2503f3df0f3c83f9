-- Prosody for Jitsi's clients that meet in Roomcast's rooms, with three modules beside its own. See docs/JITSI.md.
-- Include it from /etc/prosody/prosody.cfg.lua, and put your domain in the place of meet.example.org.

modules_enabled = { "saslauth", "tls", "disco", "ping", "smacks", "websocket", "bosh" }
smacks_hibernation_time = 60
-- Where those three are.
plugin_paths = { "/usr/local/share/roomcast/prosody" }
-- Behind the web server that has the certificate, as deploy/nginx.conf has one.
http_interfaces = { "127.0.0.1" }
http_ports = { 5280 }
http_default_host = "meet.example.org"
consider_websocket_secure = true
consider_bosh_secure = true

-- Where Roomcast connects: on this machine alone, as XEP-0114 has no encryption.
component_interfaces = { "127.0.0.1" }
component_ports = { 5347 }

-- Everybody may come in without an account. For accounts: authentication = "internal_hashed".
VirtualHost "meet.example.org"
    authentication = "anonymous"
    -- What clients show tools for. What is left out here is not used.
    modules_enabled = { "jitsi_identities" }
    jitsi_identities = {
        av_moderation = "focus.meet.example.org", end_conference = "focus.meet.example.org",
        lobbyrooms = "lobby.meet.example.org" }

Component "conference.meet.example.org" "muc"
    -- No room, and no lobby, is there longer than its conference.
    storage = "memory"
    -- The focus makes the rooms, owns them, and makes the first member of each a moderator.
    admins = { "focus@focus.meet.example.org" }
    restrict_room_creation = true
    muc_room_locking = false
    -- Clients know the focus by its address, and so must see it.
    muc_room_default_public_jids = true
    -- In a room for members only, others wait in its lobby; our own addresses need not.
    modules_enabled = { "jitsi_lobby", "jitsi_meeting" }
    lobby_domain = "lobby.meet.example.org"
    lobby_admits = { "focus.meet.example.org", "recorder.meet.example.org" }

Component "lobby.meet.example.org" "muc"
    storage = "memory"
    restrict_room_creation = true
    muc_room_locking = false
    muc_room_default_public_jids = true
    modules_enabled = { "jitsi_lobby" }
    lobby_of = "conference.meet.example.org"

-- Roomcast: jitsi.focus has the same names and the same secret.
Component "focus.meet.example.org"
    component_secret = "change me"
-- The recorders, which clients hide: their hiddenDomain.
Component "recorder.meet.example.org"
    component_secret = "change me"
