-- Names the lobby to whom a room for members does not admit, as Jitsi's own module does.
local jid = require "util.jid";
local st = require "util.stanza";
local lobbies = module:get_option_string("lobby_domain");

-- Before Prosody's own refusal, which has -5.
module:hook("muc-occupant-pre-join", function (event)
    local room, stanza = event.room, event.stanza;
    local affiliation = room:get_affiliation(stanza.attr.from);
    if not room:get_members_only() or (affiliation and affiliation ~= "none") then
        return;
    end
    local reply = st.error_reply(stanza, "auth", "registration-required");
    reply.tags[1].attr.code = "407";
    reply:tag("lobbyroom", { xmlns = "http://jitsi.org/jitmeet" })
        :text(jid.node(room.jid) .. "@" .. lobbies):up():up();
    event.origin.send(reply:tag("x", { xmlns = "http://jabber.org/protocol/muc" }));
    return true;
end, -4);
