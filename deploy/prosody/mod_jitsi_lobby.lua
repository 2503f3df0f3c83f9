-- Lobbies of Jitsi's clients. Whom a room for members does not admit waits in the room of the same
-- name in another component, where its owners see, admit and refuse. Both components load this:
--   that of the rooms, with lobby_domain = "lobby.meet.example.org", and in lobby_admits the domains
--   whose addresses need not wait;
--   that of the lobbies, with lobby_of = "conference.meet.example.org".
local jid = require "util.jid";
local json = require "util.json";
local st = require "util.stanza";

local MUC = "http://jabber.org/protocol/muc";
local MEET = "http://jitsi.org/jitmeet";
local lobbies = module:get_option_string("lobby_domain");
local rooms = module:get_option_string("lobby_of");
local admitted = module:get_option_set("lobby_admits", {});
-- Of one message; each further one is left out.
local invites_maximum = 64;

-- The room of the same name in another component.
local function counterpart(room, domain)
    local muc = prosody.hosts[domain] and prosody.hosts[domain].modules.muc;
    return muc and muc.get_room_from_jid(jid.join(jid.node(room.jid), domain)), muc;
end

-- Members are told what an owner has done, by the occupant that it is.
local function tell(room, actor, said)
    local nick = actor and room:get_occupant_jid(actor);
    if not nick then return; end
    said.type = "lobby-notify";
    room:broadcast_message(st.message({ type = "groupchat", from = nick })
        :tag("json-message", { xmlns = MEET }):text(json.encode(said)):up());
end

local function shown_name(stanza)
    return stanza and stanza:get_child_text("nick", "http://jabber.org/protocol/nick");
end

local function refuse(event, kind, condition, code, child)
    local reply = st.error_reply(event.stanza, kind, condition);
    reply.tags[1].attr.code = code;
    reply.tags[1]:add_child(child);
    event.origin.send(reply:tag("x", { xmlns = MUC }));
    return true;
end

-- Returns whether there is one.
local function open(room)
    local lobby, muc = counterpart(room, lobbies);
    if not lobby and muc then
        lobby = muc.create_room(jid.join(jid.node(room.jid), lobbies));
        -- It is there while nobody waits.
        lobby:set_persistent(true);
    end
    return lobby ~= nil;
end

local function close(room, reason, newjid)
    local lobby = counterpart(room, lobbies);
    if not lobby then return false; end
    lobby:set_persistent(false);
    lobby:destroy(newjid, reason);
    return true;
end

-- The rooms.
if lobbies then
    -- Before Prosody puts out all who are no members.
    module:hook("muc-config-submitted", function (event)
        local room, wanted = event.room, event.fields["muc#roomconfig_membersonly"];
        if wanted == nil or room.destroying then return; end
        if not wanted then
            if close(room, "Lobby room closed.", room.jid) then
                tell(room, event.actor, { event = "LOBBY-ENABLED", value = false });
            end
        elseif not room:get_members_only() then
            for _, occupant in room:each_occupant() do
                if not room:get_affiliation(occupant.bare_jid) then
                    room:set_affiliation(true, occupant.bare_jid, "member");
                end
            end
            if open(room) then
                tell(room, event.actor, { event = "LOBBY-ENABLED", value = true });
            end
        end
    end);

    module:hook("muc-room-destroyed", function (event)
        close(event.room, event.reason);
    end);

    module:hook("muc-disco#info", function (event)
        local lobby = event.form and event.room:get_members_only() and counterpart(event.room, lobbies);
        if not lobby then return; end
        table.insert(event.form, { name = "muc#roominfo_lobbyroom", label = "Lobby", value = "" });
        event.formdata["muc#roominfo_lobbyroom"] = lobby.jid;
    end);

    -- Before Prosody's own refusals, which have -5 and, for passwords, -20.
    module:hook("muc-occupant-pre-join", function (event)
        local room, stanza = event.room, event.stanza;
        local from = stanza.attr.from;
        if not room:get_members_only() then return; end
        local x, secret = stanza:get_child("x", MUC), room:get_password();
        local said = x and x:get_child_text("password");
        if said == "" then said = nil; end
        local affiliation = room:get_affiliation(from);
        if not affiliation and (admitted:contains(jid.host(from)) or secret and said == secret) then
            affiliation = "member";
            room:set_affiliation(true, jid.bare(from), affiliation);
            event.occupant.role = room:get_default_role(affiliation);
        end
        -- Whom a moderator has admitted need not know the password. An empty one counts as none.
        if affiliation and affiliation ~= "outcast" and secret and x and not said then
            x:maptags(function (tag) return tag.name ~= "password" and tag or nil; end);
            x:text_tag("password", secret, { xmlns = MUC });
        end
        if affiliation then return; end
        local lobby = counterpart(room, lobbies);
        if not lobby then return; end
        if (shown_name(stanza) or "") == "" then
            return refuse(event, "modify", "not-acceptable", "406",
                st.stanza("displayname-required", { xmlns = MEET, lobby = "true" }));
        end
        return refuse(event, "auth", "registration-required", "407",
            st.stanza("lobbyroom", { xmlns = MEET }):text(lobby.jid));
    end, -4);

    -- Whoever is put out waits again: a membership would lead past the lobby.
    module:hook("muc-broadcast-presence", function (event)
        local room, address = event.room, event.occupant.bare_jid;
        for status in event.x:childtags("status") do
            if status.attr.code == "307" and room:get_affiliation(address) == "member" then
                room:set_affiliation(true, address, nil);
            end
        end
    end);

    module:hook("muc-invite", function (event)
        local lobby = counterpart(event.room, lobbies);
        local invited = lobby and lobby:get_occupant_by_real_jid(event.stanza.attr.to);
        if not invited then return; end
        tell(event.room, event.incoming.attr.from, {
            event = "LOBBY-ACCESS-GRANTED", value = invited.nick,
            name = shown_name(invited:get_presence()) });
    end);

    -- Prosody hears one invitation of a message, and clients send several.
    module:hook("message/bare", function (event)
        local stanza = event.stanza;
        local x = stanza:get_child("x", MUC .. "#user");
        local room = module:depends("muc").get_room_from_jid(stanza.attr.to);
        if not x or not room or (stanza.attr.type or "normal") ~= "normal" then return; end
        -- Prosody refuses strangers by the first.
        if not room:get_occupant_by_real_jid(stanza.attr.from) then return; end
        local invites = {};
        for invite in x:childtags("invite") do
            if #invites == invites_maximum then break; end
            local one = st.message({ from = stanza.attr.from, to = stanza.attr.to })
                :tag("x", { xmlns = MUC .. "#user" }):add_child(st.clone(invite)):up();
            table.insert(invites, one);
        end
        if #invites < 2 then return; end
        for _, one in ipairs(invites) do room:handle_message_to_room(event.origin, one); end
        return true;
    end, 1);
end

-- The lobbies.
if rooms then
    local types = module:depends("muc").room_mt;

    -- Owners are those of the room.
    local function affiliation(lobby, address)
        local room = counterpart(lobby, rooms);
        return room and room:get_affiliation(address);
    end
    types.get_affiliation = affiliation;

    -- Those who wait know nothing of each other.
    local function may_see(lobby, stanza)
        local from, to = stanza.attr.from, stanza.attr.to;
        local x = stanza:get_child("x", MUC .. "#user");
        if not jid.resource(from) or affiliation(lobby, to) == "owner" then return true; end
        if stanza.name == "presence" then
            -- Its own.
            for status in (x or st.stanza("x")):childtags("status") do
                if status.attr.code == "110" then return true; end
            end
            return false;
        end
        local sender = lobby:get_occupant_by_nick(from);
        return stanza.name == "message" and sender ~= nil
            and affiliation(lobby, sender.bare_jid) == "owner";
    end

    local route = types.route_stanza;
    function types.route_stanza(lobby, stanza)
        if may_see(lobby, stanza) then return route(lobby, stanza); end
    end

    -- Somebody is refused.
    module:hook("muc-broadcast-presence", function (event)
        for status in event.x:childtags("status") do
            local room = status.attr.code == "307" and counterpart(event.room, rooms);
            if room then
                tell(room, event.actor, {
                    event = "LOBBY-ACCESS-DENIED", value = event.occupant.nick,
                    name = shown_name(event.occupant:get_presence()) });
            end
        end
    end);

    -- Clients ask for what a lobby demands of a name.
    module:hook("host-disco-info-node", function (event)
        if event.node == "lobbyrooms" then event.exists = true; end
    end);
end
