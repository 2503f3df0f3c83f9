import MediaKernel
import RoomHost
import Rooms
import Synchronization
import Testing
import Workbench
import XML
import XMPP

@testable import Jitsi

/// The recording button of Jitsi's clients.
@Suite(.timeLimit(.minutes(2))) struct RecordingTests {
    private let streams = NotedStreams()

    private func world() async throws -> FocusWorld {
        try await .meeting("ann", "ben", streaming: streams)
    }

    private static func jibri(_ action: String, _ more: [String: String] = [:]) -> XMLElement {
        var asked = XMLElement("jibri", "http://jitsi.org/protocol/jibri", ["action": action])
        for (name, value) in more { asked[name] = value }
        return asked
    }

    private static let file = jibri("start", ["recording_mode": "file"])
    private static let stream = jibri(
        "start", ["recording_mode": "stream", "streamid": "rtmp://host.example/live/key"])

    /// What a member's button is answered.
    private func ask(
        _ payload: XMLElement, _ nick: String = "ann", in world: FocusWorld
    ) async throws -> XMLElement {
        try await answer(to: send(payload, nick, in: world), in: world)
    }

    /// - Returns: the request's id.
    private func send(
        _ payload: XMLElement, _ nick: String = "ann", in world: FocusWorld
    ) async -> String {
        let id = Hexadecimal.identifier()
        await world.entrance.received(
            XMLElement(
                "iq", "jabber:client",
                [
                    "type": "set", "id": id, "from": "\(FocusWorld.room)/\(nick)",
                    "to": FocusWorld.focus,
                ], [payload]))
        return id
    }

    private func answer(to id: String, in world: FocusWorld) async throws -> XMLElement {
        func answer() -> XMLElement? { world.server.all.last { $0["id"] == id } }
        _ = await comesAbout { answer() != nil }
        return try #require(answer())
    }

    private func condition(_ answer: XMLElement) -> String? {
        answer["type"] == "error" ? StanzaError(of: answer).condition : nil
    }

    /// What the focus has shown since the last time.
    private func shown(_ world: FocusWorld) -> [XMLElement] {
        world.server.take().compactMap {
            $0.child("jibri-recording-status", "http://jitsi.org/protocol/jibri")
        }
    }

    private func statuses(_ world: FocusWorld) -> [String?] { shown(world).map { $0["status"] } }

    // MARK: Asking

    @Test func aModeratorStartsAndStopsTheRoomsRecording() async throws {
        let world = try await world()
        let started = try await ask(Self.file, in: world)
        #expect(started["from"] == FocusWorld.focus)
        let session = try #require(started.elements.first?["session_id"])
        #expect(streams.requests.map(\.isRecorded) == [true])
        await world.host.recordingChanged(RoomRecording(state: .initialised))
        await world.host.recordingChanged(RoomRecording(state: .started))
        let told = shown(world)
        #expect(told.map { $0["status"] } == ["pending", "on"])
        #expect(told.map { $0["session_id"] } == [session, session])
        #expect(told.map { $0["recording_mode"] } == ["file", "file"])
        #expect(told.map { $0["initiator"] } == [nil, "\(FocusWorld.room)/ann"])
        #expect(condition(try await ask(Self.jibri("stop"), in: world)) == nil)
        #expect(streams.stops == 1)
        await world.host.recordingChanged(RoomRecording(state: .stopped))
        let end = try #require(shown(world).last)
        #expect(end["status"] == "off" && end["initiator"] == "\(FocusWorld.room)/ann")
    }

    @Test func aStreamGoesToItsAddressAndAKeyToYouTube() async throws {
        let world = try await world()
        _ = try await ask(Self.stream, in: world)
        #expect(streams.requests.map(\.pushes) == [["rtmp://host.example/live/key"]])
        #expect(streams.requests.map(\.isRecorded) == [false])
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .initialised)))
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .started)))
        // A server that has to be reached again is no news for people.
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .initialised)))
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .stopped)))
        #expect(statuses(world) == ["pending", "on", "off"])
        _ = try await ask(
            Self.jibri("start", ["recording_mode": "stream", "streamid": "abc"]), in: world)
        #expect(streams.requests.last?.pushes == ["rtmp://a.rtmp.youtube.com/live2/abc"])
    }

    @Test(
        arguments: [
            ("abc", "http://youtu.be/abc"), ("https://watch.example/x", "https://watch.example/x"),
            ("", nil),
        ] as [(String, String?)])
    func whereAStreamIsWatchedIsShown(said: String, shown: String?) async throws {
        let world = try await world()
        var start = Self.stream
        start["you_tube_broadcast_id"] = said
        _ = try await ask(start, in: world)
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .initialised)))
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .started)))
        try await world.seeFocus()
        let recorder = try #require(
            world.server.all.last { $0["from"]?.contains("@recorder.example") == true })
        #expect(recorder.child("live-stream-view-url", Namespaces.client)?.text == shown)
    }

    @Test(arguments: [
        ("start", [:], "bad-request"), ("start", ["recording_mode": "stream"], "bad-request"),
        ("start", ["recording_mode": "file", "streamid": "x"], "bad-request"),
        (
            "start",
            ["recording_mode": "stream", "streamid": String(repeating: "x", count: 2049)],
            "bad-request"
        ),
        ("start", ["sipaddress": "x@example"], "service-unavailable"),
        ("pause", [:], "bad-request"),
        ("stop", [:], "item-not-found"), ("stop", ["session_id": "x"], "item-not-found"),
    ])
    func whatJicofoRefusesIsRefused(
        _ action: String, _ more: [String: String], _ expected: String
    ) async throws {
        let world = try await world()
        let asked = Self.jibri(action, more)
        #expect(condition(try await ask(asked, in: world)) == expected)
        #expect(streams.requests.isEmpty && streams.stops == 0)
    }

    @Test func othersMayNot() async throws {
        let world = try await world()
        #expect(condition(try await ask(Self.file, "ben", in: world)) == "not-allowed")
        await world.host.recordingChanged(RoomRecording(state: .started))
        #expect(condition(try await ask(Self.jibri("stop"), "ben", in: world)) == "not-allowed")
        #expect(streams.requests.isEmpty && streams.stops == 0)
    }

    @Test func whoAsksTwiceIsRefusedAndAStartMayBeStopped() async throws {
        let world = try await world()
        streams.hold()
        let first = await send(Self.file, in: world)
        #expect(condition(try await ask(Self.file, in: world)) == "unexpected-request")
        // The conference goes on meanwhile, and the start may be taken back.
        #expect(condition(try await ask(Self.jibri("stop"), in: world)) == nil)
        streams.release()
        let session = try await answer(to: first, in: world).elements.first?["session_id"]
        #expect(session != nil && streams.requests.count == 1)
        #expect(condition(try await ask(Self.file, in: world)) == "unexpected-request")
    }

    @Test(arguments: [
        (StreamingFailure.Cause.conflict, "unexpected-request"),
        (.unavailable, "resource-constraint"), (.invalid, "bad-request"),
        (.forbidden, "not-allowed"), (.broken, "internal-server-error"),
    ])
    func aRefusalIsToldInJicofosWords(
        _ cause: StreamingFailure.Cause, _ expected: String
    ) async throws {
        let world = try await world()
        streams.fail(LiveStreamingError(cause, message: "no"))
        #expect(condition(try await ask(Self.file, in: world)) == expected)
        streams.fail(nil)
        #expect(condition(try await ask(Self.file, in: world)) == nil)
    }

    @Test func aStopThatFailsIsNobodysEnd() async throws {
        let world = try await world()
        await world.host.recordingChanged(RoomRecording(state: .started))
        streams.fail(LiveStreamingError(.unavailable, message: "no"))
        #expect(condition(try await ask(Self.jibri("stop"), in: world)) == "resource-constraint")
        await world.host.recordingChanged(RoomRecording(state: .stopped))
        let end = try #require(shown(world).last)
        #expect(end["status"] == "off" && end["initiator"] == nil)
    }

    // MARK: What happens elsewhere

    @Test(arguments: [
        (StreamingFailure.Cause.unavailable, "busy"), (.broken, "error"),
    ])
    func aFailureIsTold(_ cause: StreamingFailure.Cause, _ reason: String) async throws {
        let world = try await world()
        await world.host.recordingChanged(RoomRecording(state: .initialised, startedBy: "x"))
        await world.host.recordingChanged(
            RoomRecording(state: .failed, error: StreamingFailure(cause, message: "")))
        let told = shown(world)
        #expect(told.map { $0["status"] } == ["pending", "off"])
        #expect(told.map { $0["failure_reason"] } == [nil, reason])
        #expect(told.map { $0["initiator"] } == [nil, nil])
    }

    @Test func whereNoServerIsTriedAgainTheRecorderEnds() async throws {
        let world = try await world()
        _ = try await ask(Self.stream, in: world)
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .initialised)))
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .failed)))
        #expect(shown(world).map { $0["failure_reason"] } == [nil, "error"])
        #expect(await comesAbout { streams.stops == 1 })
    }

    @Test func aStartOfWhichNothingIsHeardIsGivenUp() async throws {
        let world = try await world()
        _ = try await ask(Self.file, in: world)
        await world.pass(.seconds(89))
        #expect(condition(try await ask(Self.file, in: world)) == "unexpected-request")
        await world.pass(.seconds(2))
        #expect(shown(world).map { $0["failure_reason"] } == ["error"])
        #expect(condition(try await ask(Self.file, in: world)) == nil)
    }

    @Test func aRecorderIsThereAsLongAsItIsOn() async throws {
        let world = try await world()
        func recorders() async throws -> [XMLElement] {
            try await world.seeFocus()
            return world.server.take().filter { $0["from"]?.contains("@recorder.example/") == true }
        }
        await world.host.recordingChanged(RoomRecording(state: .initialised))
        #expect(try await recorders().isEmpty)
        await world.host.recordingChanged(RoomRecording(state: .started))
        let came = try #require(try await recorders().first)
        let session = came.child("session_id", "jabber:client")?.text
        #expect(came["type"] == nil && session?.isEmpty == false)
        #expect(came.child("mode", "jabber:client")?.text == "file")
        #expect(try await recorders().isEmpty)
        // It is no member, and comes again with a server that has forgotten it.
        let nick = String(came["to"]?.split(separator: "/").last ?? "")
        try await world.receive(
            FocusWorld.presence(nick, address: "\(nick)@recorder.example/guest"))
        #expect(world.server.take().isEmpty)
        _ = await world.entrance.comeBack()
        for member in ["ann", "ben"] { try await world.come(member) }
        #expect(try await recorders().count == 1)
        await world.host.recordingChanged(RoomRecording(state: .stopped))
        #expect(try await recorders().map { $0["type"] } == ["unavailable"])
    }

    @Test func eachRecordingIsAnotherSession() async throws {
        let world = try await world()
        for _ in 0..<2 {
            await world.host.recordingChanged(RoomRecording(state: .started))
            await world.host.recordingChanged(RoomRecording(state: .stopped))
        }
        let told = shown(world)
        #expect(told.map { $0["status"] } == ["on", "off", "on", "off"])
        #expect(Set(told.map { $0["session_id"] }).count == 2)
    }

    @Test func whatGoesOnIsShownAfterWhatIsOver() async throws {
        let world = try await world()
        await world.host.recordingChanged(RoomRecording(state: .started))
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .started)))
        await world.host.rtmpChanged(.pushed(RTMPPushes(state: .stopped)))
        let told = shown(world)
        #expect(told.map { $0["recording_mode"] } == ["file", "stream", "stream", "file"])
        #expect(told.map { $0["status"] } == ["on", "on", "off", "on"])
    }

    @Test func aConferenceThatBeginsInARecordedRoomIsTold() async throws {
        let world = FocusWorld(streaming: streams)
        try await world.addGuest("x")
        await world.host.recordingChanged(RoomRecording(state: .started, startedBy: "x"))
        await world.open()
        #expect(statuses(world) == ["on"])
    }
}

/// Notes what is asked of it.
private final class NotedStreams: LiveStreaming {
    private struct State {
        var requests: [RecordingRequest] = []
        var stops = 0
        var failure: LiveStreamingError?
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var requests: [RecordingRequest] { state.withLock { $0.requests } }
    var stops: Int { state.withLock { $0.stops } }

    func fail(_ failure: LiveStreamingError?) { state.withLock { $0.failure = failure } }
    /// Starts wait from now on.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.requests.append(request)
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
    }

    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { $0.stops += 1 }
    }

    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        layout: JSONValue?, startedBy: PeerID, authority: String
    ) async throws {}
    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws {}
    func said(_ message: Message, room: RoomID) {}
    func unsaid(_ messages: [String], room: RoomID) {}
    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws {}
}
