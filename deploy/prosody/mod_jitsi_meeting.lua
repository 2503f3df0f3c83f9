-- Tells Jitsi's clients, which ask the room, since when it meets and which meeting it is: they show its
-- duration, and apps take the id for the meeting's. The component of the rooms loads this.
local uuid = require "util.uuid";

local function add(event, name, label, value)
    table.insert(event.form, { name = name, label = label, value = "" });
    event.formdata[name] = value;
end

module:hook("muc-room-created", function (event)
    -- In milliseconds, as JavaScript has them. They do not outlive the room.
    event.room.meeting = { id = uuid.generate(), since = string.format("%d", os.time() * 1000) };
end);

module:hook("muc-disco#info", function (event)
    local meeting = event.form and event.room.meeting;
    if not meeting then return; end
    add(event, "muc#roominfo_meetingId", "Meeting", meeting.id);
    add(event, "muc#roominfo_created_timestamp", "Since", meeting.since);
end);
