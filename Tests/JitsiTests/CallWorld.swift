import Jibri
import MediaKernel
import PeerConnection
import RemoteRoom
import SDP
import Testing
import XML
import XMPP

@testable import Jitsi

/// A call with a server and media that do what the test says.
struct CallWorld {
    static let room = JID("r@muc.example")!
    static let focusComponent = JID("focus.example")!
    static let start = Instant.zero + .seconds(100)

    var call: JitsiCall
    var now = start
    /// Questions without an answer, in order.
    var questions: [(question: CallQuestion, payload: XMLElement, to: JID)] = []
    var sent: [XMLElement] = []
    var media: [CallMediaOrder] = []
    var told: [String] = []
    /// All other orders.
    var events: [CallOrder] = []
    private var requests = 0

    init(
        password: String? = nil, hiddenDomain: String? = "hidden.example",
        receivesVideo: Bool = true, recording: RecordingPresence? = nil,
        timeouts: CallTimeouts? = nil, asksByHTTP: Bool = false
    ) {
        var entry = JitsiCall.Entry(room: Self.room, focus: Self.focusComponent, name: "Recorder")
        entry.password = password
        entry.hiddenDomain = hiddenDomain
        entry.isJibri = true
        entry.knocks = recording == nil
        entry.asksByHTTP = asksByHTTP
        entry.receivesVideo = receivesVideo
        entry.recording = recording
        entry.timeouts = timeouts
        call = JitsiCall(entry, seed: 7)
    }

    /// One that is in the room with these members.
    static func inside(
        _ members: [String] = [ann], timeouts: CallTimeouts? = nil
    ) throws -> CallWorld {
        var world = CallWorld(timeouts: timeouts)
        world.connect()
        try world.ready()
        for member in members { try world.receive(member) }
        try world.admit()
        return world
    }

    /// One that also has a session, whose connection and channel work.
    static func connected(
        _ members: [String] = [ann], timeouts: CallTimeouts? = nil
    ) throws -> CallWorld {
        var world = try inside(members, timeouts: timeouts)
        try world.initiate()
        try world.describe()
        world.change(.connected)
        world.openChannel()
        return world
    }

    // MARK: The server

    mutating func connect(isResumed: Bool = false) {
        if !isResumed { questions = [] }
        call.connected(isResumed: isResumed, at: now)
        drain()
    }

    mutating func ready(_ attributes: String = "ready='true'", _ inside: String = "") throws {
        try answer(
            .conference,
            .result(
                XMLStreamReader.element(
                    """
                    <conference xmlns='http://jitsi.org/protocol/focus' \
                    focusjid='focus@auth.example' \(attributes)>\(inside)</conference>
                    """)))
    }

    /// Answers the first question of that kind.
    mutating func answer(_ question: CallQuestion, _ reply: CallReply) throws {
        let index = try #require(questions.firstIndex { $0.question == question })
        questions.remove(at: index)
        call.answered(question, reply, at: now)
        drain()
    }

    /// What was answered to a request by HTTP.
    mutating func reply(_ reply: ConferenceReply) {
        call.asked(reply, at: now)
        drain()
    }

    static func presence(
        _ nick: String, _ inside: String = "", address: String? = nil, type: String? = nil,
        status: [Int] = []
    ) -> String {
        """
        <presence xmlns='jabber:client' from='r@muc.example/\(nick)'\
        \(type.map { " type='\($0)'" } ?? "")>\(inside)\
        <x xmlns='http://jabber.org/protocol/muc#user'>\
        <item affiliation='none' role='participant' \
        jid='\(address ?? "\(nick)@meet.example/x")'/>\
        \(status.map { "<status code='\($0)'/>" }.joined())</x></presence>
        """
    }

    static func member(_ nick: String, _ name: String, _ info: String, _ more: String = "")
        -> String
    {
        presence(
            nick,
            "<nick xmlns='http://jabber.org/protocol/nick'>\(name)</nick><SourceInfo>"
                + XMLElement.escaped(info, inAttribute: false) + "</SourceInfo>\(more)")
    }

    static let ann = member(
        "0000000a", "Ann", #"{"0000000a-a0":{"muted":true},"0000000a-v0":{"muted":false}}"#)
    static let ben = member(
        "0000000b", "Ben",
        #"{"0000000b-a0":{"muted":false},"0000000b-v1":{"muted":false,"videoType":"desktop"}}"#)

    mutating func receive(_ xml: String) throws {
        call.received(try XMLStreamReader.element(xml), at: now)
        drain()
    }

    mutating func admit() throws {
        try receive(Self.presence("focus", address: "focus@auth.example/1"))
        try receive(Self.presence(call.nick, status: [100, 110]))
    }

    mutating func refuse(_ condition: String, _ kind: String = "cancel") throws {
        try receive(
            """
            <presence xmlns='jabber:client' from='r@muc.example/\(call.nick)' type='error'>\
            <error type='\(kind)'>\
            <\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>
            """)
    }

    /// A request of the focus, or of another.
    ///
    /// - Returns: the condition by which it was refused; nil for one that was not.
    @discardableResult
    mutating func request(
        _ payload: XMLElement, from: String = "r@muc.example/focus", type: String = "set"
    ) throws -> String? {
        requests += 1
        let stanza = XMLElement(
            "iq", Namespaces.client, ["type": type, "id": "f\(requests)", "from": from], [payload])
        let before = sent.count
        call.requested(try #require(Request(stanza)), at: now)
        drain()
        let answers = sent[before...].filter { $0["id"] == "f\(requests)" }
        #expect(answers.count == 1, "each request has one answer")
        let answer = try #require(answers.first)
        #expect(answer["to"] == from)
        return answer["type"] == "error" ? StanzaError(of: answer).condition : nil
    }

    mutating func initiate(
        _ owners: [String] = [Offers.bridge, Offers.ann], session: String = "s1",
        hasData: Bool = true
    ) throws {
        let refusal = try request(
            Offers.initiate(owners, session: session, hasData: hasData, ufrag: session))
        #expect(refusal == nil)
    }

    // MARK: Time and media

    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while now < end {
            now = min(end, now + .milliseconds(500))
            call.handleTimeout(at: now)
            drain()
        }
    }

    /// The newest session's number.
    var number: Int { call.sessions }

    /// Our side of the description, and the answer of the focus.
    mutating func describe(accepted: Bool = true) throws {
        answerMedia()
        if accepted { try answer(.accept(number), .result(nil)) }
    }

    /// - Parameter fragment: by which ICE knows our side.
    mutating func answerMedia(fragment: String = "own") {
        var section = MediaSection(kind: .audio, mid: "audio")
        section.ice.usernameFragment = fragment
        section.ice.password = "secret of \(fragment)"
        var answer = SessionDescription(media: [section])
        answer.bundledMIDs = ["audio"]
        call.described(number, answer, at: now)
        drain()
    }

    /// The credentials and candidates of the newest description's transport.
    var transport: (fragment: String?, candidates: [String])? {
        for order in media.reversed() {
            guard case .describe(_, let offer) = order else { continue }
            return (offer.media.first?.ice.usernameFragment, offer.media[0].ice.candidates)
        }
        return nil
    }

    mutating func change(_ state: PeerConnectionState) {
        call.stateChanged(number, state, at: now)
        drain()
    }

    mutating func openChannel() {
        call.channelOpened(number, at: now)
        drain()
    }

    mutating func hear(_ text: String) {
        call.received(text, onChannelOf: number, at: now)
        drain()
    }

    mutating func drain() {
        while let order = call.poll() {
            switch order {
            case .ask(let question, let payload, let to): questions.append((question, payload, to))
            case .send(let stanza): sent.append(stanza)
            case .media(let order): media.append(order)
            case .tellBridge(let text): told.append(text)
            default: events.append(order)
            }
        }
    }

    // MARK: What was told

    var end: RoomEnd? { events.compactMap { if case .end(let end) = $0 { end } else { nil } }.last }

    var rosters: [[RemotePeer]] {
        events.compactMap { if case .roster(let peers) = $0 { peers } else { nil } }
    }

    var layers: [[TrackLayers]] {
        events.compactMap { if case .layers(let tracks) = $0 { tracks } else { nil } }
    }

    var warnings: [String] {
        events.compactMap { if case .warn(let words) = $0 { words } else { nil } }
    }

    var paths: [PeerConnectionState] {
        events.compactMap { if case .path(let state) = $0 { state } else { nil } }
    }

    var messages: [HeardMessage] {
        events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    /// The tracks of the newest description, and the streams that carry them.
    var described: [String: [UInt32]] {
        for order in media.reversed() {
            guard case .describe(_, let offer) = order else { continue }
            let sections = offer.media.filter { $0.direction == .sendOnly }
            return Dictionary(
                uniqueKeysWithValues: sections.map { section in
                    (section.rtp.msids[0].track, section.rtp.sources.map(\.ssrc))
                })
        }
        return [:]
    }

    /// The presence by which we last entered.
    var entry: XMLElement? {
        sent.last { $0.name == "presence" && $0["type"] == nil }
    }
}
