import ICE
import Logging
import MediaKernel
import NIOPosix
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    /// The number of offers needed to inform a subscriber of changes.
    @Suite struct OfferingTests {
        private let identity: DTLSIdentity
        private let directory: LoopDirectory
        private let loop: MediaLoop
        private let room: RoomForwarder
        private let viewer: PeerConnection
        private var events: AsyncStream<MediaEvent>.AsyncIterator
        private var now = SimulatedRoom.beginning
        private var offers = 0
        private var publishers: [TrackID: PeerID] = [:]

        init() throws {
            identity = try DTLSIdentity.generate()
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            directory = LoopDirectory(eventLoops: [eventLoop])
            loop = MediaLoop(
                eventLoop: eventLoop, index: 0, directory: directory, identity: identity,
                logger: Logger(label: "test"))
            loop.ports.advertised = [TransportAddress(ipv4: 192, 0, 2, 1, port: 50_000)]
            let (events, sink) = AsyncStream.makeStream(of: MediaEvent.self)
            self.events = events.makeAsyncIterator()
            room = RoomForwarder(id: "room", loop: loop, events: sink)
            loop.adopt(room)
            viewer = PeerConnection.describing(identity, channel: nil, at: now)
        }

        private mutating func publish(_ tracks: [OutgoingTrack], as peer: PeerID) throws {
            let end = PeerConnection.describing(identity, channel: "ion-sfu", at: now)
            for track in tracks {
                _ = try end.add(track)
                publishers[TrackID(track.trackID)] = peer
            }
            try room.addPeer(peer, at: now)
            let offer = try end.createOffer(at: now)
            _ = try room.publishOffer(offer, from: peer, at: now)
        }

        private func subscribe(to tracks: [TrackID]) {
            room.setSubscriptions(
                .init(
                    peer: "viewer",
                    tracks: tracks.map {
                        .init(
                            id: $0, publisher: publishers[$0] ?? "ann", isVideo: $0 == "camera")
                    }), at: now)
        }

        /// Lets time pass, and answers the viewer's offers.
        private mutating func pass(_ duration: Duration) async throws {
            let end = now + duration
            while now < end {
                now += .milliseconds(10)
                room.tick(at: now)
                try await answer()
            }
        }

        private mutating func answer() async throws {
            while room.peers["viewer"]?.subscribe?.core.isOfferOutstanding == true,
                let event = await events.next(isolation: nil)
            {
                guard case .subscribeOffer("viewer", let offer, _) = event else { continue }
                offers += 1
                let answer = try viewer.answer(offer, at: now)
                try room.subscribeAnswer(answer, from: "viewer", at: now)
            }
        }

        /// The viewer's offers since the last call, and their sockets.
        private mutating func offered() async -> [(offer: SessionDescription, socket: Int)] {
            room.emit(.activeSpeakers([]))
            var offered: [(offer: SessionDescription, socket: Int)] = []
            while let event = await events.next(isolation: nil) {
                switch event {
                case .subscribeOffer("viewer", let offer, let socket):
                    offered.append((offer, socket))
                case .activeSpeakers: return offered
                default: continue
                }
            }
            return offered
        }

        private func answer(_ offer: SessionDescription) throws {
            let answer = try viewer.answer(offer, at: now)
            try room.subscribeAnswer(answer, from: "viewer", at: now)
        }

        /// 100ms' web SDK ends its session when it is offered twice before it has answered.
        @Test mutating func aRestartWaitsForTheAnswerThatIsOnItsWay() async throws {
            try publish([], as: "viewer")
            room.restartSubscribe(of: "viewer", signallingSocket: 0, at: now)
            room.tick(at: now)
            let first = await offered()
            try #require(first.count == 1)
            try answer(first[0].offer)
            let second = await offered()
            try #require(second.count == 1)
            let fragments = (first + second).map { $0.offer.media[0].ice.usernameFragment }
            #expect(fragments[0] != fragments[1])
            try answer(second[0].offer)
            #expect(await offered().isEmpty)
        }

        @Test mutating func aRestartWaitsForNoAnswerForGood() async throws {
            try publish([], as: "viewer")
            room.restartSubscribe(of: "viewer", signallingSocket: 0, at: now)
            now += NegotiationMachine.answerTimeout - .milliseconds(1)
            room.tick(at: now)
            #expect(await offered().count == 1)
            now += .milliseconds(1)
            room.tick(at: now)
            #expect(await offered().count == 1)
        }

        /// The client had the old offer, and answers it on the new socket.
        @Test mutating func whoAnswersAnEarlierOfferIsOfferedAnew() async throws {
            try publish([], as: "viewer")
            room.restartSubscribe(of: "viewer", signallingSocket: 1, at: now)
            let both = await offered()
            try #require(both.map { $0.socket } == [0, 1])
            try answer(both[0].offer)
            let second = try viewer.answer(both[1].offer, at: now)
            let (forwarder, then) = (room, now)
            #expect {
                try forwarder.subscribeAnswer(second, from: "viewer", at: then)
            } throws: { error in
                if case MediaServerError.badDescription = error { true } else { false }
            }
            now += RoomForwarder.offerInterval
            room.tick(at: now)
            let again = await offered()
            try #require(again.map { $0.socket } == [1])
            try answer(again[0].offer)
            now += .seconds(1)
            room.tick(at: now)
            #expect(await offered().isEmpty)
        }

        @Test mutating func anAnswerThatIsRefusedHoldsNothingUp() async throws {
            try publish([], as: "viewer")
            var fragments: Set<String?> = []
            for round in 1...3 {
                let offers = await offered()
                try #require(offers.count == 1)
                fragments.insert(offers[0].offer.media[0].ice.usernameFragment)
                // The same offer, the same again, and a restart.
                #expect(fragments.count == (round < 3 ? 1 : 2))
                var useless = try viewer.answer(offers[0].offer, at: now)
                useless.media = []
                let (forwarder, bad, then) = (room, useless, now)
                #expect {
                    try forwarder.subscribeAnswer(bad, from: "viewer", at: then)
                } throws: { error in
                    if case MediaServerError.badDescription = error { true } else { false }
                }
                now += .seconds(1)
                room.tick(at: now)
            }
            #expect(await offered().isEmpty)
            // Changes are offered to it all the same.
            try publish([.audio("voice")], as: "ann")
            subscribe(to: ["voice"])
            try await answer()
            #expect(received == 1)
        }

        /// A client that restarts its connections for days takes no additional memory.
        @Test mutating func aConnectionIsKnownByItsLastTwoNames() async throws {
            try publish([], as: "viewer")
            for socket in 1...5 {
                room.restartSubscribe(of: "viewer", signallingSocket: socket, at: now)
            }
            let names = await offered().compactMap { $0.offer.media[0].ice.usernameFragment }
            try #require(Set(names).count == 6)
            let known = names.filter { directory.loop(ofFragment: $0) != nil }
            #expect(known == Array(names.suffix(2)))
            room.removePeer("viewer", at: now)
            #expect(names.allSatisfy { directory.loop(ofFragment: $0) == nil })
        }

        private var received: Int { viewer.incomingTracks.count(where: \.isSending) }

        @Test mutating func aHundredPublishersAreOfferedInFewOffers() async throws {
            try publish([], as: "viewer")
            try await answer()
            offers = 0
            var tracks: [TrackID] = []
            for number in 0..<100 {
                try publish([.audio("voice-\(number)")], as: PeerID("peer-\(number)"))
                tracks.append(TrackID("voice-\(number)"))
                subscribe(to: tracks)
                try await answer()
                if number == 0 { #expect(received == 1, "the first one waits for nothing") }
                try await pass(.milliseconds(10))
            }
            // They come within a second; the more tracks, the less frequent the offers.
            #expect(offers <= 7)
            try await pass(.milliseconds(500))
            #expect(received == 100)
            #expect(offers <= 8)
            // No peer waits for an offer because of a long past one.
            try publish([.audio("late")], as: "late")
            try await pass(.milliseconds(500))
            subscribe(to: tracks + ["late"])
            try await answer()
            #expect(received == 101)
        }

        @Test(arguments: [false, true])
        func picturesAreTurnedBeforeTheyAreSentUnlessTheirOrientationIsTaken(isTaken: Bool) throws {
            let room = RoomForwarder(
                id: "other", loop: loop, events: AsyncStream.makeStream(of: MediaEvent.self).1,
                acceptsOrientation: isTaken)
            let end = PeerConnection.describing(identity, channel: "ion-sfu", at: now)
            _ = try end.add(.video("camera"))
            try room.addPeer("ann", at: now)
            let answer = try room.publishOffer(try end.createOffer(at: now), from: "ann", at: now)
            let extensions = answer.media.flatMap(\.rtp.headerExtensions).map(\.uri)
            #expect(extensions.contains(HeaderExtensionURI.videoOrientation) == isTaken)
        }

        /// It describes one encoding with all its layers, and the server does not rewrite it for
        /// forwarding.
        @Test func nobodySendsAnAV1DependencyDescriptor() throws {
            let uri =
                "https://aomediacodec.github.io/av1-rtp-spec/"
                + "#dependency-descriptor-rtp-header-extension"
            let end = PeerConnection.describing(identity, channel: "ion-sfu", at: now)
            var camera = OutgoingTrack.video("camera")
            camera.headerExtensions.append(uri)
            _ = try end.add(camera)
            try room.addPeer("ann", at: now)
            let offer = try end.createOffer(at: now)
            #expect(offer.media.flatMap(\.rtp.headerExtensions).map(\.uri).contains(uri))
            let answer = try room.publishOffer(offer, from: "ann", at: now)
            #expect(!answer.media.flatMap(\.rtp.headerExtensions).map(\.uri).contains(uri))
        }

        /// A connection has 61 payload types for all its sections.
        @Test mutating func noPublisherUsesUpASubscribersPayloadTypes() async throws {
            try publish([], as: "viewer")
            try await answer()
            var tracks: [TrackID] = []
            for number in 0..<5 {
                try publish(
                    (0..<20).map { .strange("voice-\(number)-\($0)", stereo: 20 * number + $0) },
                    as: PeerID("peer-\(number)"))
                tracks += (0..<20).map { TrackID("voice-\(number)-\($0)") }
            }
            try publish([.video("camera")], as: "ann")
            subscribe(to: tracks + ["camera"])
            try await pass(.milliseconds(500))
            #expect(received == 101)
            let formats = viewer.incomingTracks.filter { $0.kind == .audio }.map(\.codec)
            #expect(
                Set(formats.map(\.parameters.rendered)) == [
                    "minptime=10;useinbandfec=1", "minptime=10;useinbandfec=1;stereo=1",
                ])
        }

        @Test mutating func allThatAPeerPublishesComesAndGoesInOneOffer() async throws {
            try publish([], as: "viewer")
            try await answer()
            subscribe(to: ["voice", "camera"])
            offers = 0
            try publish([.audio("voice"), .video("camera")], as: "ann")
            try await answer()
            #expect(received == 2 && offers == 1)
            try await pass(.milliseconds(200))
            room.removePeer("ann", at: now)
            try await answer()
            #expect(received == 0 && offers == 2)
        }

        @Test(arguments: [OutgoingTrack.audio("camera"), .vp9("camera"), .layered("camera")])
        mutating func aTrackThatBecomesSomethingElseIsAnotherOne(first: OutgoingTrack) async throws
        {
            try publish([], as: "viewer")
            try await answer()
            subscribe(to: ["camera"])
            let end = PeerConnection.describing(identity, channel: "ion-sfu", at: now)
            let mid = try end.add(first)
            try room.addPeer("ann", at: now)
            func offer() throws {
                let offer = try end.createOffer(at: now)
                try end.accept(
                    answer: try room.publishOffer(offer, from: "ann", at: now), at: now)
            }
            try offer()
            try await pass(.milliseconds(200))
            let before = try #require(room.tracks[TrackKey("camera", of: "ann")])
            // Unchanged: the same track continues.
            try offer()
            #expect(room.tracks[TrackKey("camera", of: "ann")] === before)
            room.setPreference(.low, track: "camera", of: "viewer", at: now)
            end.remove(mid: mid)
            _ = try end.add(.video("camera"))
            try offer()
            try await pass(.milliseconds(300))
            let after = try #require(room.tracks[TrackKey("camera", of: "ann")])
            #expect(after !== before && after.codec == .vp8 && after.encodings.count == 1)
            #expect(after.subscriptions["viewer"] != nil)
            #expect(viewer.incomingTracks.filter(\.isSending).map(\.codec.name) == ["VP8"])
            #expect(room.peers["viewer"]?.preferences["camera"] == .low, "it wishes so still")
        }

        @Test mutating func aTrackThatComesAgainBetweenTwoOffersIsAnotherOne() async throws {
            try publish([], as: "viewer")
            try await answer()
            subscribe(to: ["voice"])
            try publish([.audio("voice")], as: "ann")
            try await answer()
            let first = try #require(
                room.tracks[TrackKey("voice", of: "ann")]?.subscriptions["viewer"])
            room.removePeer("ann", at: now)
            try publish([.audio("voice")], as: "ann")
            offers = 0
            try await pass(.milliseconds(100))
            #expect(offers == 1 && received == 0, "without it first, or a browser says nothing")
            try await pass(.milliseconds(200))
            #expect(offers == 2)
            let second = try #require(
                room.tracks[TrackKey("voice", of: "ann")]?.subscriptions["viewer"])
            #expect(second !== first && received == 1)
        }

        /// This happens if its publisher counts as gone and returns before the next offer. The
        /// client has been notified that the track has ended, and waits for it to come.
        @Test mutating func aTrackThatIsTakenAwayAndGivenBackBetweenTwoOffersComesAgain()
            async throws
        {
            try publish([], as: "viewer")
            try await answer()
            try publish([.audio("voice")], as: "ann")
            subscribe(to: ["voice"])
            try await answer()
            try #require(received == 1)
            offers = 0
            subscribe(to: [])
            subscribe(to: ["voice"])
            try await pass(.milliseconds(100))
            #expect(offers == 1 && received == 0)
            try await pass(.milliseconds(200))
            #expect(offers == 2 && received == 1)
            subscribe(to: ["voice"])
            try await pass(.milliseconds(200))
            #expect(offers == 2, "what is as it was is not offered")
        }
    }
}

extension OutgoingTrack {
    fileprivate static func strange(_ id: String, stereo: Int) -> OutgoingTrack {
        var track = audio(id)
        track.codecs[0].parameters = [
            FormatParameter("x-\(stereo)", "1"), FormatParameter("sTeReO", "\(stereo)"),
        ]
        return track
    }
}

extension OutgoingTrack {
    fileprivate static func vp9(_ id: String) -> OutgoingTrack {
        var track = video(id)
        track.codecs[0].name = "VP9"
        return track
    }

    fileprivate static func layered(_ id: String) -> OutgoingTrack {
        var track = video(id)
        track.rids = ["f", "h"]
        return track
    }
}
