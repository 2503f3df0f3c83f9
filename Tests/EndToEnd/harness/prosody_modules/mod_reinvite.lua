-- On SIGHUP each recorder is told that its session is over, and its focus that it wants another one:
-- what jicofo does to whoever is on a bridge that ends, with a focus that has no other bridge.
local jid = require "util.jid";
local st = require "util.stanza";
local id = require "util.id";
local muc = module:depends("muc");
local recorders = module:get_option_string("recorder_domain");
local sessions = {}; -- the newest one's id, by the address in the room

module:hook("iq/full", function (event)
    local stanza = event.stanza;
    local jingle = stanza:get_child("jingle", "urn:xmpp:jingle:1");
    if jingle and jingle.attr.action == "session-initiate" then
        sessions[stanza.attr.to] = jingle.attr.sid;
    end
end, 100);

local function ended(from, to, sid, restarts)
    local stanza = st.iq({ type = "set", id = id.short(), from = from, to = to })
        :tag("jingle", { xmlns = "urn:xmpp:jingle:1", action = "session-terminate", sid = sid })
        :tag("reason"):tag("success"):up():up();
    if restarts then
        stanza:tag("bridge-session", {
            xmlns = "http://jitsi.org/protocol/focus", id = sid, restart = "true" });
    end
    module:send(stanza);
end

module:hook_global("config-reloaded", function ()
    for address, sid in pairs(sessions) do
        local place = jid.bare(address);
        local room = muc.get_room_from_jid(place);
        local occupant = room and room:get_occupant_by_nick(address);
        if occupant and jid.host(occupant.bare_jid) == recorders then
            ended(place .. "/focus", occupant.jid, sid, false);
            ended(occupant.jid, place .. "/focus", sid, true);
        end
    end
end);
