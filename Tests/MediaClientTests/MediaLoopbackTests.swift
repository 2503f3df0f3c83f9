import Datagrams
import Logging
import MediaKernel
import MediaServer
import NIOCore
import NIOPosix
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaClient

/// Two clients and a media server on loopback: media from one end to the other.
@Suite(.timeLimit(.minutes(5))) struct MediaLoopbackTests {
    @Test func mediaOfOneClientReachesTheOther() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        let server = try await MediaServer.start(
            configuration: .init(bindHosts: ["127.0.0.1"], port: 0, advertised: []),
            group: group, logger: Logger(label: "test"))
        let room = try await server.makeRoom("room")
        let ann = try await LoopbackClient.start(
            on: group.next(), sending: [.voice, .camera])
        let ben = try await LoopbackClient.start(on: group.next(), sending: [])
        try await room.addPeer("ann")
        try await room.addPeer("ben")
        try await ann.publish(in: room, as: "ann")
        try await ben.publish(in: room, as: "ben")
        await room.setSubscriptions([
            .init(
                peer: "ben",
                tracks: [
                    .init(id: "voice", publisher: "ann", isVideo: false),
                    .init(id: "camera", publisher: "ann", isVideo: true),
                ])
        ])

        // The room's events drive the test, however long they take.
        var flowing: Set<TrackID> = []
        var connected: Set<PeerID> = []
        var speakers: [ActiveSpeaker] = []
        for await event in room.events {
            switch event {
            case .subscribeOffer(let peer, let offer, _):
                let client = peer == "ann" ? ann : ben
                try await client.answer(offer, in: room, as: peer)
            case .trackMedia(_, let track, let isFlowing): if isFlowing { flowing.insert(track) }
            case .connection(let peer, _, .connected): connected.insert(peer)
            case .connection, .dataText, .dataBinary, .trackLayers, .tracksSent, .connectionQuality,
                .excessMedia:
                break
            case .activeSpeakers(let list): speakers = list
            }
            if !speakers.isEmpty, try await ben.seen().isEnough { break }
        }
        #expect(flowing == ["voice", "camera"])
        #expect(connected == ["ann", "ben"])
        #expect(speakers == [ActiveSpeaker(peer: "ann", track: "voice", level: 80)])

        let seen = try await ben.seen()
        let camera = try #require(seen.packets["camera"])
        // Video begins with a key frame, which ann was asked for, and has no gaps.
        #expect(try await ann.seen().keyframeRequests.contains("camera"))
        #expect(Array(try #require(camera.first).payload) == OutgoingMedia.keyframe)
        let numbers = Set(camera.map(\.sequenceNumber.rawValue))
        let first = try #require(camera.first).sequenceNumber
        let row = (0..<numbers.count).map { first.advanced(by: $0).rawValue }
        #expect(numbers == Set(row))
        let voice = try #require(seen.packets["voice"])
        #expect(voice.allSatisfy { Array($0.payload) == OutgoingMedia.opus })
        // The level travels under the id that ben's side negotiated.
        let id = try #require(seen.audioLevelID)
        let level = try #require(voice.first?.extensions[id])
        #expect(AudioLevel(extensionBytes: level) == AudioLevel(voice: true, level: 10))
        // The relation of the clocks is ann's own.
        #expect(seen.reports["voice"] == OutgoingMedia.ntp)

        await room.close()
        try await ann.stop()
        try await ben.stop()
        await server.shutdown()
        try await group.shutdownGracefully()
    }

    @Test func whoOnlyListensIsForwardedNoVideo() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        let server = try await MediaServer.start(
            configuration: .init(bindHosts: ["127.0.0.1"], port: 0, advertised: []),
            group: group, logger: Logger(label: "test"))
        let room = try await server.makeRoom("room")
        let ann = try await LoopbackClient.start(
            on: group.next(), sending: [.voice, .camera])
        let ben = try await LoopbackClient.start(
            on: group.next(), sending: [], receivesVideo: false,
            readingInterval: .milliseconds(20))
        try await room.addPeer("ann")
        try await room.addPeer("ben")
        try await ann.publish(in: room, as: "ann")
        try await ben.publish(in: room, as: "ben")
        await room.setSubscriptions([
            .init(
                peer: "ben",
                tracks: [
                    .init(id: "voice", publisher: "ann", isVideo: false),
                    .init(id: "camera", publisher: "ann", isVideo: true),
                ])
        ])

        for await event in room.events {
            if case .subscribeOffer(let peer, let offer, _) = event {
                try await (peer == "ann" ? ann : ben).answer(offer, in: room, as: peer)
            }
            if try await ben.seen().packets["voice", default: []].count >= 50 { break }
        }
        #expect(try await ben.seen().packets.keys.sorted() == ["voice"])
        // No key frame was needed.
        #expect(try await ann.seen().keyframeRequests.isEmpty)
        // Waiting packets are not missed: they are read before a tick decides which are late.
        let seen = try await ben.seen()
        #expect(seen.packetsInTicks >= 49 && seen.packetsBetweenTicks == 0)

        await room.close()
        try await ann.stop()
        try await ben.stop()
        await server.shutdown()
        try await group.shutdownGracefully()
    }
}
