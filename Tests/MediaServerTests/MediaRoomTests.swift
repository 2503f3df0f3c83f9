import Clocks
import ICE
import Logging
import MediaKernel
import NIOCore
import NIOPosix
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

/// A room of a real server, driven by descriptions only: no media flows here.
@Suite(.timeLimit(.minutes(5))) struct MediaRoomTests {
    @Test func whoHasPublishedIsOfferedItsSubscribeConnection() async throws {
        try await withRoom { room in
            try await room.addPeer("ann")
            var ann = try Participant("ann", tracks: [.audio("voice"), .video("camera")])
            let answer = try await ann.publish(in: room)
            #expect(answer.isICELite && answer.media.count == 3)
            #expect(answer.media[1...].map(\.direction) == [.receiveOnly, .receiveOnly])
            let offer = try await room.nextOffer(for: "ann")
            #expect(offer.media.map(\.kind) == [.application])
            #expect(offer.isICELite)
        }
    }

    @Test func tracksThatTwoCallAlikeAreOfferedUnderTheirNamesInTheRoom() async throws {
        try await withRoom { room in
            for id in ["ann", "ben", "cyd"] { try await room.addPeer(PeerID(id)) }
            var cyd = try Participant("cyd", tracks: [])
            _ = try await cyd.publish(in: room)
            let first = try await room.nextOffer(for: "cyd")
            for id in ["ann", "ben"] as [PeerID] {
                var publisher = try Participant(id, tracks: [.video("t0")])
                _ = try await publisher.publish(in: room)
            }
            await room.room.setSubscriptions([
                .init(
                    peer: "cyd",
                    tracks: [
                        .init(id: "t0", publisher: "ann", isVideo: true),
                        .init(id: "t0-1", publisher: "ben", publishedID: "t0", isVideo: true),
                    ])
            ])
            try await cyd.answer(first, in: room)
            let second = try await room.nextOffer(for: "cyd")
            let names = second.media.compactMap(\.rtp.msids.first).map {
                "\($0.stream) \($0.track)"
            }
            #expect(Set(names) == ["ann t0", "ben t0-1"])
            try await cyd.answer(second, in: room)
            #expect(cyd.incoming == ["t0", "t0-1"])

            await room.room.removePeer("ann")
            let third = try await room.nextOffer(for: "cyd")
            try await cyd.answer(third, in: room)
            #expect(cyd.incoming == ["t0-1"])
        }
    }

    @Test func tracksAreOfferedAsTheyArePublishedAndWithdrawn() async throws {
        try await withRoom { room in
            for id in ["ann", "ben"] { try await room.addPeer(PeerID(id)) }
            var ben = try Participant("ben", tracks: [])
            _ = try await ben.publish(in: room)
            let first = try await room.nextOffer(for: "ben")
            // Requested before it is published, and while an offer is in flight.
            await room.room.setSubscriptions([
                .init(
                    peer: "ben",
                    tracks: [
                        .init(id: "voice", publisher: "ann", isVideo: false),
                        .init(id: "camera", publisher: "ann", isVideo: true),
                        .init(id: "nobody's", publisher: "ann", isVideo: true),
                        // She may publish only audio under this name.
                        .init(id: "disguised", publisher: "ann", isVideo: false),
                    ])
            ])
            var ann = try Participant(
                "ann", tracks: [.audio("voice"), .video("camera"), .video("disguised")])
            let published = try await ann.publish(in: room)
            try await ben.answer(first, in: room)

            let second = try await room.nextOffer(for: "ben")
            #expect(second.media.count == 3)
            #expect(
                Set(second.media.compactMap { $0.rtp.msids.first?.track }) == ["voice", "camera"])
            #expect(second.media.compactMap { $0.rtp.msids.first?.stream } == ["ann", "ann"])
            let camera = try #require(second.media.first { $0.kind == .video })
            #expect(camera.rtp.codecs.first?.name == published.media[2].rtp.codecs.first?.name)
            #expect(camera.rtp.codecs.map(\.name) == ["VP8", "rtx"])
            #expect(
                camera.rtp.codecs[0].feedback == ["transport-cc", "ccm fir", "nack", "nack pli"])
            // The offer must not invite requests for audio that is not kept.
            let voice = try #require(second.media.first { $0.kind == .audio })
            #expect(voice.rtp.codecs.map(\.feedback) == [["transport-cc"]])
            try await ben.answer(second, in: room)
            #expect(ben.incoming == ["voice", "camera"])

            ann.remove("camera")
            _ = try await ann.publish(in: room)
            let third = try await room.nextOffer(for: "ben")
            try await ben.answer(third, in: room)
            #expect(ben.incoming == ["voice"])

            await room.room.removePeer("ann")
            let fourth = try await room.nextOffer(for: "ben")
            try await ben.answer(fourth, in: room)
            #expect(ben.incoming == [])
        }
    }

    @Test func nobodyIsOfferedTheirOwnTracks() async throws {
        try await withRoom { room in
            try await room.addPeer("ann")
            var ann = try Participant("ann", tracks: [.audio("voice")])
            _ = try await ann.publish(in: room)
            let offer = try await room.nextOffer(for: "ann")
            try await ann.answer(offer, in: room)
            await room.room.setSubscriptions([
                .init(
                    peer: "ann", tracks: [.init(id: "voice", publisher: "ann", isVideo: false)])
            ])
            await room.room.restartSubscribe(of: "ann", signallingSocket: 1)
            let restart = try await room.nextOffer(for: "ann")
            #expect(restart.media.map(\.kind) == [.application])
        }
    }

    @Test func aRestartOffersNewCredentialsEvenWhenAnOfferIsOnItsWay() async throws {
        try await withRoom { room in
            try await room.addPeer("ann")
            var ann = try Participant("ann", tracks: [])
            _ = try await ann.publish(in: room)
            let first = try await room.nextOffer(for: "ann")
            await room.room.restartSubscribe(of: "ann", signallingSocket: 1)
            let second = try await room.nextOffer(for: "ann")
            #expect(first.media[0].ice.usernameFragment != second.media[0].ice.usernameFragment)
            #expect(first.media[0].dtls.fingerprints == second.media[0].dtls.fingerprints)
            try await ann.answer(second, in: room)
        }
    }

    @Test func aRecorderIsToldTheOwnAddressToo() async throws {
        // As behind a router that does not route its own network's packets to its public address
        // back inside.
        let outside = try #require(TransportAddress("203.0.113.5", port: 7000))
        try await withRoom(advertised: [outside]) { room in
            try await room.room.addPeer("ann")
            try await room.room.addPeer("recorder", isRecorder: true)
            for (id, ips) in [
                ("ann", ["203.0.113.5"]), ("recorder", ["127.0.0.1", "203.0.113.5"]),
            ] {
                var peer = try Participant(PeerID(id), tracks: [])
                _ = try await peer.publish(in: room)
                let offer = try await room.nextOffer(for: PeerID(id))
                let candidates = try offer.media[0].ice.candidates.map {
                    try ICECandidate(parsing: "candidate:" + $0)
                }
                #expect(candidates.map(\.address.host) == ips)
            }
        }
    }

    @Test func strangersAndBadDescriptionsAreRefused() async throws {
        try await withRoom { room in
            try await room.addPeer("ann")
            var ann = try Participant("ann", tracks: [.audio("voice")])
            let text = try ann.offer()
            let sdp = try SessionDescription.parse(text)
            await #expect(throws: MediaServerError.unknownPeer("ben")) {
                try await room.room.offer(sdp, on: .publish, from: "ben")
            }
            await #expect(throws: MediaServerError.unknownPeer("ben")) {
                try await room.room.trickle("candidate:x", on: .publish, from: "ben")
            }
            let nameless = try SessionDescription.parse(
                text.replacing("a=fingerprint", with: "a=finger"))
            let error = await #expect(throws: MediaServerError.self) {
                try await room.room.offer(nameless, on: .publish, from: "ann")
            }
            guard case .badDescription = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            await #expect(throws: MediaServerError.nothingOffered) {
                try await room.room.answer(sdp, from: "ann")
            }
            // These errors do not affect a good offer.
            _ = try await room.room.offer(sdp, on: .publish, from: "ann")
            _ = try await room.nextOffer(for: "ann")
        }
    }

    @Test func anAnswerThatCannotBeReadIsAskedForAgain() async throws {
        try await withRoom { room in
            try await room.addPeer("ann")
            var ann = try Participant("ann", tracks: [])
            _ = try await ann.publish(in: room)
            _ = try await room.nextOffer(for: "ann")
            await room.room.answerRefused(from: "ann")
            try await ann.answer(try await room.nextOffer(for: "ann"), in: room)
        }
    }

    /// Ids are known to all peers, and chosen by the publisher.
    @Test func whoTakesAnothersTrackIDIsNotTakenForIt() async throws {
        try await withRoom { room in
            for id in ["mal", "ann", "ben"] { try await room.addPeer(PeerID(id)) }
            var ben = try Participant("ben", tracks: [])
            _ = try await ben.publish(in: room)
            try await ben.answer(try await room.nextOffer(for: "ben"), in: room)
            await room.room.setSubscriptions([
                .init(
                    peer: "ben", tracks: [.init(id: "voice", publisher: "ann", isVideo: false)])
            ])
            var mal = try Participant("mal", tracks: [.audio("voice")])
            _ = try await mal.publish(in: room)
            var ann = try Participant("ann", tracks: [.audio("voice")])
            _ = try await ann.publish(in: room)
            let offer = try await room.nextOffer(for: "ben")
            #expect(offer.media.compactMap { $0.rtp.msids.first?.stream } == ["ann"])
            try await ben.answer(offer, in: room)
            await room.room.removePeer("mal")
            await room.room.restartSubscribe(of: "ben", signallingSocket: 1)
            let after = try await room.nextOffer(for: "ben")
            #expect(after.media.compactMap { $0.rtp.msids.first?.stream } == ["ann"])
        }
    }

    /// Further ones are not refused together with the rest.
    @Test func ofAPeersTracksSoManyAreTaken() async throws {
        try await withRoom { room in
            try await room.addPeer("ann")
            var ann = try Participant("ann", tracks: (0...32).map { .audio("track-\($0)") })
            let answer = try await ann.publish(in: room)
            let sound = answer.media.filter { $0.kind == .audio }.map(\.direction)
            #expect(sound.prefix(32).allSatisfy { $0 == .receiveOnly })
            #expect(sound.dropFirst(32) == [.inactive])
        }
    }

    @Test func aClosedRoomEndsItsEventsAndTakesNobody() async throws {
        try await withRoom { room in
            try await room.addPeer("ann")
            var ann = try Participant("ann", tracks: [])
            let sdp = try SessionDescription.parse(try ann.offer())
            await room.room.close()
            await room.room.close()
            await #expect(throws: MediaServerError.roomClosed) { try await room.addPeer("ben") }
            await #expect(throws: MediaServerError.roomClosed) {
                try await room.room.answer(sdp, from: "ann")
            }
            var rest = 0
            while await room.next() != nil { rest += 1 }
            #expect(rest == 0)
        }
    }

    @Test func aWildcardAdvertisesTheHostsAddressesWithTheBoundPort() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let known = TransportAddress(ipv4: 203, 0, 113, 9, port: 0)
        for (host, advertised) in [("127.0.0.1", []), ("0.0.0.0", []), ("127.0.0.1", [known])] {
            let server = try await MediaServer.start(
                configuration: .init(bindHosts: [host], port: 0, advertised: advertised),
                group: group, logger: Logger(label: "test"))
            #expect(!server.advertised.isEmpty)
            #expect(server.advertised.allSatisfy { $0.port != 0 })
            #expect(Set(server.advertised.map(\.port)).count == 1)
            if !advertised.isEmpty { #expect(server.advertised.map(\.ip) == [known.ip]) }
            await server.shutdown()
        }
        try await group.shutdownGracefully()
    }

    @Test func aWildcardOfIPv6AdvertisesBothFamilies() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await MediaServer.start(
            configuration: .init(
                bindHosts: ["::"], port: 0, advertised: [], tcpPort: .sameAsUDP),
            group: group, logger: Logger(label: "test"))
        for transport in [TransportAddress.Transport.udp, .tcp] {
            let hosts = server.advertised.filter { $0.transport == transport }.map(\.host)
            #expect(hosts.contains("127.0.0.1") && hosts.contains("::1"))
        }
        await server.shutdown()
        try await group.shutdownGracefully()
    }
}
