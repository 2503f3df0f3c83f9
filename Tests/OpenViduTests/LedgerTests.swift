import HundredMSTerms
import MediaKernel
import RoomHost
import Rooms
import SDP
import Synchronization
import Testing

@testable import OpenVidu

/// What application servers are told of a room, and what they do in it.
@Suite(.timeLimit(.minutes(5))) struct LedgerTests {
    private final class Listener: OpenViduObserver {
        private let kept = Mutex<([CallDetail], [PublishedStream])>(([], []))
        private let wanted: Set<CallDetail.Event>

        init(_ wanted: Set<CallDetail.Event> = Set(CallDetail.Event.allCases)) {
            self.wanted = wanted
        }

        func wants(_ event: CallDetail.Event) -> Bool { wanted.contains(event) }

        var details: [CallDetail] { kept.withLock { $0.0 } }
        var streams: [PublishedStream] { kept.withLock { $0.1 } }
        var events: [String] { details.map(\.event.rawValue) }

        func happened(_ detail: CallDetail) { kept.withLock { $0.0.append(detail) } }
        func published(_ stream: PublishedStream, in room: RoomID) {
            kept.withLock { $0.1.append(stream) }
        }
    }

    @Test func aSessionIsToldFromItsFirstJoinToItsLastLeave() async throws {
        let listener = Listener()
        let world = OpenViduWorld(observer: listener)
        let ann = try await world.join("Ann", serverData: "s")
        let stream = try await ann.publish()
        let ben = try await world.join("Ben", role: "viewer")
        _ = try await ben.call(
            "receiveVideoFrom",
            [
                "sender": .string(stream),
                "sdpOffer": .string(OpenViduWorld.sdp([.audio], .receiveOnly)),
            ])
        _ = try await ben.call("leaveRoom")
        _ = try await ann.call("unpublishVideo")
        _ = try await ann.call("leaveRoom")
        #expect(
            listener.events == [
                "sessionCreated", "participantJoined", "webrtcConnectionCreated",
                "participantJoined", "webrtcConnectionCreated", "webrtcConnectionDestroyed",
                "participantLeft", "webrtcConnectionDestroyed", "participantLeft",
                "sessionDestroyed",
            ])
        let bodies = listener.details.map(\.body)
        #expect(bodies[1]["clientData"] == #"{"clientData":"Ann"}"#)
        #expect(bodies[1]["serverData"] == "s" && bodies[1]["connectionId"]?.text == ann.id)
        #expect(bodies[2]["connection"] == "OUTBOUND" && bodies[2]["streamId"]?.text == stream)
        #expect(bodies[4]["connection"] == "INBOUND" && bodies[4]["receivingFrom"]?.text == ann.id)
        #expect(bodies[7]["reason"] == "unpublish" && bodies[8]["reason"] == "disconnect")
        #expect(bodies[9]["reason"] == "lastParticipantLeft" && bodies[9]["duration"] == 0)
        #expect(
            bodies.allSatisfy {
                $0["sessionId"] == "r1" && $0["uniqueSessionId"] == "r1_1720000000000"
            })
        let published = listener.streams
        #expect(published.map(\.id) == [stream] && published[0].tracks.count == 2)
    }

    @Test func nobodyIsToldOfSignalsAndViewsThatNobodyWants() async throws {
        let listener = Listener([.participantJoined])
        let world = OpenViduWorld(observer: listener)
        let ann = try await world.join("Ann")
        let stream = try await ann.publish()
        let ben = try await world.join("Ben")
        _ = try await ben.call(
            "receiveVideoFrom",
            [
                "sender": .string(stream),
                "sdpOffer": .string(OpenViduWorld.sdp([.audio], .receiveOnly)),
            ])
        #expect(await world.entrance.signal(to: [], type: "chat", data: "all") == .sent)
        #expect(!listener.events.contains("signalSent"))
        #expect(listener.events.count { $0 == "webrtcConnectionCreated" } == 1)
        // Recordings want the streams anyway.
        #expect(listener.streams.map(\.id) == [stream])
    }

    @Test func anEndIsTheReasonOnlyOfASessionThatThereIs() async throws {
        let listener = Listener()
        let world = OpenViduWorld(observer: listener)
        _ = try await world.join("Ann")
        await world.host.end(reason: "over")
        await world.pass(.seconds(1))
        // Nobody is there.
        await world.host.end(reason: "over")
        _ = try await world.join("Ben").call("leaveRoom")
        let ends = listener.details.filter { $0.event == .sessionDestroyed }
        #expect(
            ends.map { $0.body["reason"] } == ["sessionClosedByServer", "lastParticipantLeft"])
    }

    @Test func aSessionHasTheNameThatItsRecordingsHave() async throws {
        let listener = Listener()
        let world = OpenViduWorld(observer: listener)
        // It is alone, and so is noticed with the next second.
        try await world.addPeer("hms", Track(id: "v", streamID: "s", kind: .video))
        world.setWall(after: .seconds(1))
        await world.pass(.seconds(1))
        #expect(listener.details[0].event == .sessionCreated)
        #expect(listener.details[0].body["uniqueSessionId"] == "r1_1720000000000")
        #expect(listener.details[0].body["timestamp"] == .integer(1_720_000_000_000))
        #expect(listener.details[1].body["timestamp"] == .integer(1_720_000_001_000))
    }

    /// A recorder that is not seen stays, and so does the room's session.
    @Test func aSessionAfterAnotherHasAnotherName() async throws {
        let listener = Listener()
        let world = OpenViduWorld(observer: listener)
        try await world.addPeer("bot", role: HundredMSTerms.recorderRole)
        for _ in 0..<2 {
            _ = try await world.join("Ann").call("leaveRoom")
            world.setWall(after: .seconds(1))
        }
        let names = listener.details.filter { $0.event == .sessionCreated }
            .map { $0.body["uniqueSessionId"] }
        #expect(names == ["r1_1720000000000", "r1_1720000001000"])
    }

    @Test func peersOfOtherProtocolsAreToldAsWell() async throws {
        let listener = Listener()
        let world = OpenViduWorld(observer: listener)
        // It is alone, so nobody in the room hears of it.
        try await world.addPeer("hms", Track(id: "v", streamID: "s", kind: .video))
        await world.pass(.seconds(1))
        #expect(
            listener.events == ["sessionCreated", "participantJoined", "webrtcConnectionCreated"])
        await world.pass(.seconds(1))
        #expect(listener.events.count == 3)
        try await world.host.change { try $0.room.peerRemoved("hms", reason: "") }
        await world.pass(.seconds(1))
        let ends = listener.details.suffix(3).map(\.body)
        #expect(
            ends.map { $0["reason"] }.prefix(2) == [
                "forceDisconnectByServer", "forceDisconnectByServer",
            ])
        #expect(listener.events.last == "sessionDestroyed")
    }

    @Test func anApplicationServerSpeaksToAllOrToOne() async throws {
        let listener = Listener()
        let world = OpenViduWorld(observer: listener)
        #expect(
            await world.entrance.signal(to: [], type: "chat", data: "x") == .nobodyIsHere)
        let ann = try await world.join("Ann")
        let ben = try await world.join("Ben")
        #expect(await world.entrance.signal(to: [], type: "chat", data: "all") == .sent)
        #expect(
            await world.entrance.signal(to: [ben.id], type: "signal:chat", data: "one") == .sent)
        #expect(
            await world.entrance.signal(to: [ben.id, "x"], type: "", data: "") == .unknownTarget)
        let heard = await ann.told("sendMessage")
        #expect(heard["data"] == "all" && heard["type"] == "signal:chat" && heard["from"] == nil)
        _ = await ben.told("sendMessage")
        #expect(await ben.told("sendMessage")["data"] == "one")
        let signals = listener.details.filter { $0.event == .signalSent }.map(\.body)
        #expect(signals.count == 2 && signals[0]["to"]?.count == 2)
        #expect(signals[1]["to"]?[0]?.text == ben.id && signals[1]["from"] == JSONValue.null)
    }

    @Test func anApplicationServerEndsStreamsAndChangesConnections() async throws {
        let listener = Listener()
        let world = OpenViduWorld(observer: listener)
        let ann = try await world.join("Ann")
        let ben = try await world.join("Ben")
        let stream = try await ben.publish()
        try await world.addPeer("hms", Track(id: "v", streamID: "s", kind: .video))
        let foreign = await world.entrance.streams().first { $0.id != stream }
        // A stream is no connection.
        #expect(!(await world.entrance.change(stream, role: nil, isRecorded: false)))
        #expect(await world.entrance.signal(to: [stream], type: "", data: "") == .unknownTarget)
        #expect(!(await world.entrance.disconnect(stream)))
        #expect(await world.entrance.unpublish("none") == .unknown)
        #expect(await world.entrance.unpublish(ben.id) == .unknown)
        #expect(await world.entrance.unpublish(foreign?.id ?? "") == .foreign)
        #expect(
            await world.entrance.change(ben.id, role: "host", isRecorded: false))
        #expect(listener.streams.last?.isRecorded == false)
        #expect(!(await world.entrance.change("none", role: nil, isRecorded: true)))
        let changes = [
            await ben.told("connectionPropertyChanged"),
            await ben.told("connectionPropertyChanged"),
        ]
        #expect(
            Set(changes.compactMap { $0["property"]?.text }) == ["role", "record"])
        let shown = await world.entrance.connections().first { $0["id"]?.text == ben.id }
        #expect(shown?["role"] == "MODERATOR" && shown?["record"] == .bool(false))
        #expect(await world.entrance.unpublish(stream) == .done)
        #expect(await ann.told("participantUnpublished")["reason"] == "forceUnpublishByServer")
        #expect(await ben.told("participantUnpublished")["reason"] == "forceUnpublishByServer")
        let end = listener.details.last { $0.event == .webrtcConnectionDestroyed }
        #expect(end?.body["reason"] == "forceUnpublishByServer")
    }

    @Test func recordingsHaveTheIDAndNameThatTheirApplicationGaveThem() async throws {
        let world = OpenViduWorld()
        let ann = try await world.join("Ann")
        await world.host.recordingChanged(
            RoomRecording(state: .started, label: .init(id: "r1~2", name: "film")))
        let told = await ann.told("recordingStarted")
        #expect(told["id"] == "r1~2" && told["name"] == "film")
        let ben = try await world.join("Ben")
        #expect(ben.welcome["recordingId"] == "r1~2" && ben.welcome["recordingName"] == "film")
        await world.host.recordingChanged(RoomRecording(state: .stopped))
        for one in [ann, ben] {
            let told = await one.told("recordingStopped")
            #expect(told["id"] == "r1~2" && told["name"] == "film")
        }
    }
}
