import MediaClient
import MediaKernel
import PeerConnection
import RemoteRoom
import SDP

@testable import OpenVidu

/// A client's session with a server and media that do what the test says.
struct ClientWorld {
    /// One call of the client.
    struct Call {
        let id: Int64
        let method: String
        let parameters: [String: JSONValue]
    }

    static let start = Instant.zero + .seconds(100)

    var session: ClientSession
    var now = start
    /// The calls without an answer, in order.
    var calls: [Call] = []
    var media: [MediaOrder] = []
    var events: [ClientOrder] = []

    init(
        token: String = "wss://h?sessionId=ses_1", secret: String? = "MY_SECRET",
        receivesVideo: Bool = true
    ) {
        session = ClientSession(
            ClientSession.Entry(session: "ses_1", token: token, secret: secret, metadata: ""),
            receivesVideo: receivesVideo)
    }

    /// One that is in a session with these participants.
    static func inside(
        _ participants: [JSONValue] = [], kind: String = "kurento"
    ) throws -> ClientWorld {
        var world = ClientWorld()
        world.open()
        world.answer("joinRoom", with: world.welcome(participants, kind: kind))
        return world
    }

    // MARK: The server

    func welcome(
        _ participants: [JSONValue], kind: String = "kurento"
    ) -> [String: JSONValue] {
        [
            "id": "RECORDER", "sessionId": "rpc1", "session": "ses_1", "version": "2.32.1",
            "mediaServer": .string(kind), "role": "SUBSCRIBER", "value": .array(participants),
        ]
    }

    static func participant(
        _ name: String, metadata: String? = nil, streams: [JSONValue]? = nil
    ) -> JSONValue {
        .object([
            "id": .string("con_\(name)"), "createdAt": .integer(7),
            "metadata": .string(metadata ?? #"{"clientData":"\#(name)"}%/%from the server"#),
            "streams": .array(streams ?? [stream(name)]),
        ])
    }

    static func stream(_ name: String, _ changes: [String: JSONValue] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string("str_CAM_1_con_\(name)"), "createdAt": .integer(8),
            "hasAudio": .bool(true), "hasVideo": .bool(true), "audioActive": .bool(true),
            "videoActive": .bool(true), "typeOfVideo": "CAMERA", "frameRate": .integer(30),
            "videoDimensions": #"{"width":640,"height":480}"#, "filter": .object([:]),
        ]
        members.merge(changes) { $1 }
        return .object(members)
    }

    mutating func open() {
        session.opened(at: now)
        drain()
        answer("ping", with: ["value": "pong"])
    }

    mutating func close() {
        calls = []
        session.closed(at: now)
        drain()
    }

    /// Answers the earliest call of a method.
    mutating func answer(_ method: String, with result: [String: JSONValue] = [:]) {
        guard let call = take(method) else { return }
        receive(OpenViduFrame.result(result, to: .number(call.id), rpcSession: "rpc1"))
    }

    mutating func refuse(_ method: String, _ code: Int, _ message: String = "no") {
        guard let call = take(method) else { return }
        receive(
            OpenViduFrame.error(
                OpenViduError(code: code, message: message), to: .number(call.id), rpcSession: ""))
    }

    private mutating func take(_ method: String) -> Call? {
        calls.firstIndex { $0.method == method }.map { calls.remove(at: $0) }
    }

    mutating func tell(_ notification: OpenViduNotification, _ parameters: [String: JSONValue]) {
        receive(OpenViduFrame.notification(notification, parameters))
    }

    mutating func receive(_ text: String) {
        session.received(text, at: now)
        drain()
    }

    // MARK: Time and media

    /// Lets time pass in steps, as the client's timer does. The server answers pings.
    mutating func pass(_ duration: Duration, answersPings: Bool = true) {
        let end = now + duration
        while now < end {
            now = min(end, now + .milliseconds(500))
            session.handleTimeout(at: now)
            drain()
            if answersPings { answer("ping", with: ["value": "pong"]) }
        }
    }

    /// The latest connection that media were asked to make.
    var connection: StreamConnectionID? {
        media.lazy.reversed().compactMap { order -> StreamConnectionID? in
            switch order {
            case .offer(let id, _), .answer(let id, _, _): id
            default: nil
            }
        }.first
    }

    mutating func offer(_ connection: StreamConnectionID) {
        session.offered(connection, "offer \(connection)", at: now)
        drain()
    }

    mutating func accept(_ connection: StreamConnectionID) {
        session.accepted(connection, candidates: ["candidate:ours"], at: now)
        drain()
    }

    mutating func change(_ connection: StreamConnectionID, to state: PeerConnectionState) {
        session.stateChanged(connection, state, at: now)
        drain()
    }

    /// Makes a connection whose client offers work from end to end.
    mutating func connect(_ connection: StreamConnectionID) {
        offer(connection)
        answer("receiveVideoFrom", with: ["sdpAnswer": "answer"])
        answer("reconnectStream", with: ["sdpAnswer": "answer"])
        accept(connection)
        change(connection, to: .connected)
    }

    mutating func drain() {
        while let order = session.poll() {
            switch order {
            case .send(let text):
                guard let root = try? JSONDocument(text, limits: .own).root,
                    let method = try? root.member("method")?.decode(String.self),
                    let id = try? root.member("id")?.decode(Int64.self)
                else { continue }
                let parameters = try? root.member("params")?.decode([String: JSONValue].self)
                calls.append(Call(id: id, method: method, parameters: parameters ?? [:]))
            case .media(let order): media.append(order)
            default: events.append(order)
            }
        }
    }

    /// How many connections media were asked to offer.
    var offers: Int { media.count { if case .offer = $0 { true } else { false } } }

    // MARK: What the program sees

    var roster: [RemotePeer] {
        events.lazy.reversed().compactMap { event -> [RemotePeer]? in
            if case .roster(let peers) = event { peers } else { nil }
        }.first ?? []
    }

    var end: RoomEnd? {
        events.lazy.compactMap { event -> RoomEnd? in
            if case .end(let end) = event { end } else { nil }
        }.first
    }

    var reconnects: [String] {
        events.compactMap {
            if case .reconnect(.unreachable(let reason)) = $0 { reason } else { nil }
        }
    }

    var warnings: [String] {
        events.compactMap { if case .warn(let words) = $0 { words } else { nil } }
    }

    var paths: [PeerConnectionState] {
        events.compactMap { if case .path(let state) = $0 { state } else { nil } }
    }

    func parameters(_ method: String) -> [String: JSONValue]? {
        calls.first { $0.method == method }?.parameters
    }
}
