import MediaKernel
import PeerConnection
import SDP
import SecureTransport
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    /// Connections that the room offers, for protocols that tell streams by their SSRCs.
    @Suite struct SentTracksTests {
        private let identity: DTLSIdentity
        /// The room does not own it.
        private let loop: MediaLoop
        private let room: RoomForwarder
        private let events: AsyncStream<MediaEvent>
        private let sink: AsyncStream<MediaEvent>.Continuation
        private let now = SimulatedRoom.beginning

        init() throws {
            identity = try DTLSIdentity.generate()
            loop = .alone(identity)
            (events, sink) = AsyncStream.makeStream(of: MediaEvent.self)
            room = loop.room(sink)
        }

        private func publish(_ tracks: [OutgoingTrack]) throws {
            let end = PeerConnection.describing(identity, channel: nil, at: now)
            for track in tracks { _ = try end.add(track) }
            try room.addPeer("ann", at: now)
            _ = try room.publishOffer(try end.createOffer(at: now), from: "ann", at: now)
        }

        /// All that was told until now.
        private func told() async -> [[SentTrack]] {
            sink.finish()
            var told: [[SentTrack]] = []
            for await event in events {
                guard case .tracksSent("viewer", .named("j"), let tracks) = event else { continue }
                told.append(tracks)
            }
            return told
        }

        private func want(_ tracks: [TrackID]) {
            room.setSubscriptions(
                .init(
                    peer: "viewer",
                    tracks: tracks.map {
                        .init(id: $0, publisher: "ann", isVideo: $0 == "camera")
                    }), at: now)
        }

        private func accept(_ kinds: [MediaSection.Kind]) throws -> SessionDescription {
            try room.addPeer("viewer", at: now)
            let offer = try room.makeOffer(kinds, on: .named("j"), to: "viewer", at: now)
            let viewer = PeerConnection.describing(identity, channel: nil, at: now)
            let answer = try viewer.answer(offer, at: now)
            try room.accept(answer, on: .named("j"), from: "viewer", at: now)
            return offer
        }

        @Test func theStreamsOfTracksAreToldWhenTheyComeAndGo() async throws {
            let offer = try accept([.audio, .video, .application])
            #expect(offer.media.map(\.kind) == [.audio, .video, .application])
            try publish([.audio("voice"), .video("camera")])
            want(["voice", "camera"])
            want(["voice"])
            want(["voice"])
            want([])
            let told = await told()
            #expect(told.map { $0.map(\.id) } == [["camera", "voice"], ["voice"], []])
            let camera = try #require(told.first?.first)
            #expect(camera.publisher == "ann")
            #expect(camera.repairSSRC != nil && camera.repairSSRC != camera.ssrc)
            #expect(told[0][1].repairSSRC == nil)
        }

        @Test func nobodyIsToldOfConnectionsThatClientsOffer() async throws {
            try publish([.audio("voice")])
            try room.addPeer("viewer", at: now)
            want(["voice"])
            let viewer = PeerConnection.describing(identity, channel: nil, at: now)
            try viewer.receive(.audio)
            _ = try room.offer(
                try viewer.createOffer(at: now), on: .named("j"), from: "viewer", at: now)
            #expect(room.peers["viewer"]?.offered.count == 1)
            #expect(await told().isEmpty)
        }
    }
}
