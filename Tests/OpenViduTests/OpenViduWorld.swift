import HundredMSTerms
public import MediaKernel
import MediaServer
import RoomHost
import Rooms
import SDP
import Synchronization

@testable import OpenVidu

/// A room with a fake media plane and a clock that only the test moves.
final class OpenViduWorld: Sendable {
    let media = QuietMedia()
    let host: RoomHost
    let entrance: OpenViduEntrance

    init(
        policy: Policy = .standard, limits: OpenViduLimits = OpenViduLimits(),
        roomLimits: RoomLimits = RoomLimits(), observer: (any OpenViduObserver)? = nil
    ) {
        let clock = Clock()
        self.clock = clock
        host = RoomHost(
            room: Room(id: "r1", name: "demo", policy: policy, limits: roomLimits, seed: 7),
            media: media, streaming: NoStreams(),
            protocols: [OpenVidu(limits: limits, observer: observer)],
            clock: RoomClock(
                now: { clock.now.withLock { $0 } },
                wall: { clock.wall.withLock { $0 } }))
        entrance = OpenViduEntrance(host)
    }

    private final class Clock: Sendable {
        let now = Mutex(Instant.zero)
        let wall = Mutex(UnixTime(milliseconds: 1_720_000_000_000))
    }

    private let clock: Clock

    /// Moves the clock, then ticks.
    func pass(_ duration: Duration) async {
        clock.now.withLock { $0 += duration }
        await host.tick()
    }

    /// Moves the wall clock alone.
    func setWall(after duration: Duration) { clock.wall.withLock { $0 = $0 + duration } }

    /// A client that has joined.
    func join(
        _ name: String, role: String = "guest", serverData: String = "",
        parameters: [String: JSONValue] = [:]
    ) async throws -> TestClient {
        let client = TestClient(self)
        var grant: OpenViduBook.Grant?
        if !serverData.isEmpty {
            var book = OpenViduBook()
            let room = try book.open(nil, .init(), at: UnixTime(milliseconds: 0)).room
            grant = try book.grant(
                in: room, .publisher, ConnectionTerms(data: serverData), origin: "",
                at: UnixTime(milliseconds: 0))
        }
        try await client.join(
            OpenViduCaller(userID: name, tokenID: name, role: role, grant: grant),
            parameters: [
                "metadata": .string(#"{"clientData":"\#(name)"}"#)
            ].merging(parameters) { $1 })
        return client
    }

    /// A peer of another protocol.
    func addPeer(_ id: PeerID, role: String = "host", _ tracks: Track...) async throws {
        try await host.addPeer(id, role: role, tracks)
    }

    static func sdp(
        _ kinds: [MediaSection.Kind] = [.audio, .video],
        _ direction: MediaDirection = .sendOnly
    ) -> String {
        let media = kinds.enumerated().map { index, kind in
            var section = MediaSection(kind: kind, mid: "\(index)", direction: direction)
            section.ice.usernameFragment = "Ab12"
            section.ice.password = "0123456789abcdef01234567"
            section.rtp.msids = [MediaStreamIdentifier(stream: "s", track: "t-\(index)")]
            return section
        }
        return SessionDescription(media: media).rendered()
    }
}

extension RoomHost {
    func addPeer(_ id: PeerID, role: String, _ tracks: [Track]) async throws {
        let request = JoinRequest(peer: id, userID: id.rawValue, role: role, name: id.rawValue)
        _ = try await join(Entry(request, nil))
        try publish(tracks, by: id)
        await settle()
    }

    func publish(_ tracks: [Track], by id: PeerID) throws {
        try room.tracksPublished(tracks, by: id, wall: clock.wall())
    }

    func change(_ body: @Sendable (isolated RoomHost) throws -> Void) async throws {
        try body(self)
        await settle()
    }
}

/// A client whose frames the test writes.
final class TestClient: Sendable {
    struct Closure: Hashable, Sendable {
        let code: UInt16
        let reason: String
    }

    /// Collects what the server sends.
    final class Socket: SignallingSocket {
        private struct State {
            var frames: [JSONValue] = []
            var closure: Closure?
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        func send(_ text: String) async -> Bool {
            let frame = try? JSONDocument(text, limits: .own).root.decode(JSONValue.self)
            return change { state in
                guard state.closure == nil, let frame else { return false }
                state.frames.append(frame)
                return true
            }
        }

        func close(code: UInt16, reason: String) async {
            change { $0.closure = $0.closure ?? Closure(code: code, reason: reason) }
        }

        private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
            let (result, waiters) = state.withLock { state in
                let result = body(&state)
                defer { state.waiters = [] }
                return (result, state.waiters)
            }
            for waiter in waiters { waiter.resume() }
            return result
        }

        /// Waits for a frame, also among those that came already, and takes it.
        func take(_ isWanted: (JSONValue) -> Bool) async -> JSONValue {
            while true {
                let found = await look { state in
                    state.frames.firstIndex(where: isWanted).map { state.frames.remove(at: $0) }
                }
                if let found { return found }
            }
        }

        func closure() async -> Closure {
            while true {
                if let closure = await look({ $0.closure }) { return closure }
            }
        }

        /// What is there now; nil after the next change if there is nothing. Nothing comes between
        /// the look and the wait.
        private func look<Thing: Sendable>(_ find: (inout State) -> Thing?) async -> Thing? {
            let found = Mutex<Thing?>(nil)
            await withCheckedContinuation { continuation in
                let thing = state.withLock { state in
                    let thing = find(&state)
                    if thing == nil { state.waiters.append(continuation) }
                    return thing
                }
                guard let thing else { return }
                found.withLock { $0 = thing }
                continuation.resume()
            }
            return found.withLock { $0 }
        }

        /// Takes all frames that came.
        func takeAll() -> [JSONValue] {
            state.withLock { state in
                defer { state.frames = [] }
                return state.frames
            }
        }

        /// The methods of the notifications that came and were not taken.
        var notifications: [String] {
            state.withLock { $0.frames.compactMap { $0["method"]?.text } }
        }
    }

    private struct State {
        var socket = Socket()
        var place: OpenViduPlace?
        var id: Int64 = 0
        var result: JSONValue = .null
    }

    let world: OpenViduWorld
    private let state = Mutex(State())

    init(_ world: OpenViduWorld) { self.world = world }

    var socket: Socket { state.withLock { $0.socket } }
    var place: OpenViduPlace? { state.withLock { $0.place } }
    /// The result of its `joinRoom`.
    var welcome: JSONValue { state.withLock { $0.result } }
    var id: String { welcome["id"]?.text ?? "" }

    static func joinFrame(_ parameters: [String: JSONValue] = [:]) -> String {
        OpenViduFrame.text([
            "jsonrpc": "2.0", "id": 1, "method": "joinRoom",
            "params": .object(
                [
                    "token": "wss://localhost:4443?sessionId=r1&token=tok_A", "session": "r1",
                    "platform": "Chrome 120", "sdkVersion": "2.32.1", "metadata": "",
                    "secret": "", "recorder": .bool(false), "stt": .bool(false),
                ].merging(parameters) { $1 }),
        ])
    }

    func join(_ caller: OpenViduCaller, parameters: [String: JSONValue] = [:]) async throws {
        var lobby = OpenViduLobby()
        guard case .join(let call) = lobby.received(Self.joinFrame(parameters)) else {
            throw Unexpected()
        }
        let place = await world.entrance.join(call, by: caller, socket: socket)
        let answer = await socket.take { $0["id"] == 1 }
        state.withLock { state in
            state.place = place
            state.result = answer["result"] ?? answer
            state.id = 1
        }
    }

    /// The whole answer.
    func answer(_ method: String, _ parameters: [String: JSONValue] = [:]) async -> JSONValue {
        let id = state.withLock { state in
            state.id += 1
            return state.id
        }
        await send(
            OpenViduFrame.text([
                "jsonrpc": "2.0", "id": .integer(id), "method": .string(method),
                "params": .object(parameters),
            ]))
        return await socket.take { $0["id"] == .integer(id) }
    }

    func call(
        _ method: String, _ parameters: [String: JSONValue] = [:]
    ) async throws -> JSONValue {
        let answer = await answer(method, parameters)
        guard let result = answer["result"] else { throw Unexpected(answer) }
        return result
    }

    func code(_ method: String, _ parameters: [String: JSONValue] = [:]) async -> JSONValue? {
        await answer(method, parameters)["error"]?["code"]
    }

    func send(_ text: String) async {
        if let place { await world.entrance.received(text, on: place) }
    }

    /// The parameters of a notification.
    func told(_ method: String) async -> JSONValue {
        await socket.take { $0["method"] == .string(method) }["params"] ?? .null
    }

    /// The socket breaks.
    func lose() async {
        guard let place else { return }
        state.withLock { $0.place = nil }
        await world.entrance.closed(place)
    }

    /// Opens another socket; the answer to `connect`.
    func comeBack() async throws -> JSONValue {
        var lobby = OpenViduLobby()
        let frame = OpenViduFrame.text([
            "jsonrpc": "2.0", "id": 1000, "method": "connect",
            "params": .object([
                "sessionId": welcome["sessionId"] ?? .null, "reconnect": .bool(true),
            ]),
        ])
        guard case .comeBack(let call) = lobby.received(frame) else { throw Unexpected() }
        state.withLock { $0.socket = Socket() }
        let place = await world.entrance.comeBack(call, socket: socket)
        state.withLock { $0.place = place }
        return await socket.take { $0["id"] == 1000 }
    }

    @discardableResult
    func publish(_ parameters: [String: JSONValue] = [:]) async throws -> String {
        try await call(
            "publishVideo",
            [
                "sdpOffer": .string(OpenViduWorld.sdp()), "doLoopback": .bool(false),
                "hasAudio": .bool(true), "hasVideo": .bool(true), "audioActive": .bool(true),
                "videoActive": .bool(true), "typeOfVideo": "CAMERA", "frameRate": 30,
                "videoDimensions": #"{"width":640,"height":480}"#,
            ].merging(parameters) { $1 })["id"]?.text ?? ""
    }

    struct Unexpected: Error {
        var answer: JSONValue = .null
        init(_ answer: JSONValue = .null) { self.answer = answer }
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue {
    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    subscript(index: Int) -> JSONValue? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var count: Int? { if case .array(let items) = self { items.count } else { nil } }
}

/// A media plane that answers every offer.
final class QuietMedia: RoomMedia {
    private struct State {
        var offers: [ConnectionKey: SessionDescription] = [:]
        var answers: [ConnectionKey] = []
        var candidates: [ConnectionKey] = []
        var closed: [ConnectionKey] = []
        var terms: [PeerID: PeerSubscriptions] = [:]
        var isSlow = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    let events: AsyncStream<MediaEvent>

    init() { events = AsyncStream { $0.finish() } }

    var offers: [ConnectionKey: SessionDescription] { state.withLock { $0.offers } }
    var answers: [ConnectionKey] { state.withLock { $0.answers } }
    var candidates: [ConnectionKey] { state.withLock { $0.candidates } }
    var closed: [ConnectionKey] { state.withLock { $0.closed } }
    func terms(of peer: String) -> PeerSubscriptions? { state.withLock { $0.terms[PeerID(peer)] } }

    /// From now on descriptions take until ``hurry()``.
    func dawdle() { state.withLock { $0.isSlow = true } }

    /// Until a description is being made.
    func somebodyWaits() async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.waiting.isEmpty { state.waiter = continuation }
                return !state.waiting.isEmpty
            }
            if isNow { continuation.resume() }
        }
    }

    func hurry() {
        let waiting = state.withLock { state in
            defer { (state.isSlow, state.waiting) = (false, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func work() async {
        await withCheckedContinuation { continuation in
            let (isDone, waiter) = state.withLock { state in
                guard state.isSlow else { return (true, nil as CheckedContinuation<Void, Never>?) }
                state.waiting.append(continuation)
                defer { state.waiter = nil }
                return (false, state.waiter)
            }
            if isDone { continuation.resume() }
            waiter?.resume()
        }
    }

    func addPeer(
        _ peer: PeerID, asksForVideos: Bool, isRecorder: Bool, layerNames: LayerNames
    ) async throws {}

    func removePeer(_ peer: PeerID) async {}

    func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription {
        await work()
        return state.withLock { state in
            state.offers[key] = offer
            var answer = offer
            for index in answer.media.indices {
                answer.media[index].direction =
                    offer.media[index].direction.sends ? .receiveOnly : .sendOnly
            }
            return answer
        }
    }

    func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws -> SessionDescription {
        await work()
        return SessionDescription(
            media: kinds.enumerated().map { index, kind in
                MediaSection(kind: kind, mid: "\(index)", direction: .sendOnly)
            })
    }

    func answer(
        _ answer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws { state.withLock { $0.answers.append(key) } }

    func closeConnection(_ key: ConnectionKey, of peer: PeerID) async {
        state.withLock { $0.closed.append(key) }
    }

    func answerRefused(from peer: PeerID) async {}

    func trickle(_ candidate: String, on key: ConnectionKey, from peer: PeerID) async throws {
        state.withLock { $0.candidates.append(key) }
    }

    func setSubscriptions(_ subscribers: [PeerSubscriptions]) async {
        state.withLock { state in
            for terms in subscribers { state.terms[terms.peer] = terms }
        }
    }

    func restartSubscribe(of peer: PeerID, signallingSocket: Int) async {}
    func setPreference(_ preference: LayerPreference, track: TrackID, of peer: PeerID) async {}
    func sendTexts(_ texts: [(peer: PeerID, text: String)]) async {}
}

/// These clients start no streams.
private struct NoStreams: LiveStreaming {
    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        layout: JSONValue?, startedBy: PeerID, authority: String
    ) async throws {}
    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws {}
    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws {}
    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws {}
    func said(_ message: Message, room: RoomID) {}
    func unsaid(_ messages: [String], room: RoomID) {}
    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws {}
}
