// Where Jitsi's apps meet in Roomcast's rooms. They ask the host of the meeting's address for /config.js,
// those for phones too. See docs/JITSI.md. Put your names in the place of the examples': meet.example.org
// is Prosody's domain, rooms.example.test the web server, as in the files beside this.
var config = {
    hosts: {
        domain: "meet.example.org",
        muc: "conference.meet.example.org",
        focus: "focus.meet.example.org",
    },
    websocket: "wss://rooms.example.test/xmpp-websocket",
    bosh: "https://rooms.example.test/http-bind",
    // Of the recorders, which apps do not show.
    hiddenDomain: "recorder.meet.example.org",
    // What two send each other directly, or only members can decode, is in no stream and no recording.
    p2p: { enabled: false },
    e2ee: { disabled: true },
};
