import Logging
import MediaClient
import MediaKernel
import MediaServer
import NIOCore
import NIOHTTP1
import NIOPosix
import PeerConnection
import RTP
import RemoteRoom
import SDP
import Synchronization
import Testing

@testable import WHIP

/// Uses an endpoint on loopback with a media server behind it.
@Suite(.timeLimit(.minutes(5))) struct WHIPPublicationTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    private func tracks() -> [LocalTrack] {
        var numbers = PayloadTypeAllocator()
        return [LocalTrack(.opus, streamID: "s", trackID: "voice", numbers: &numbers)]
    }

    private func publication(_ endpoint: String) -> WHIPPublication {
        WHIPAddress(endpoint: endpoint, token: "secret").room(
            for: RoomGuest(name: "Ann"), on: group,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { DeafObserver() }
    }

    /// A media server's room behind an endpoint, in which each session is a peer.
    private func withEndpoint(
        _ body: (WHIPStub) async throws -> Void
    ) async throws {
        let media = try await MediaServer.start(
            configuration: .init(bindHosts: ["127.0.0.1"], port: 0, advertised: []),
            group: group, logger: Logger(label: "test"))
        let room = try await media.makeRoom("room")
        let endpoint = try await WHIPStub.start(on: group) { request in
            guard request.method == .POST else {
                await room.removePeer("ann")
                return .init(status: .ok)
            }
            try await room.addPeer("ann")
            let offer = try SessionDescription.parse(request.body)
            let answer = try await room.offer(offer, on: .publish, from: "ann").rendered()
            return .init(
                status: .created,
                headers: [
                    "Location": "/session/1", "Content-Type": "application/sdp",
                    "Link": "<stun:stun.example>; rel=\"ice-server\"",
                ], body: answer)
        }
        try await body(endpoint)
        await endpoint.stop()
        await media.shutdown()
    }

    private func life(of publication: WHIPPublication) -> Task<RoomEnd?, Never> {
        Task {
            do throws(RoomEnd) {
                try await publication.run()
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func whatIsPublishedConnectsAndTheSessionIsDeleted() async throws {
        try await withEndpoint { endpoint in
            let publication = publication(endpoint.address)
            let life = life(of: publication)
            // In either order: the path may be ready before the caller has seen the answer.
            var (isPublished, isConnected) = (false, false)
            for await event in publication.events {
                switch event {
                case .joined: try await publication.publish(tracks())
                case .published: isPublished = true
                case .path(.connected): isConnected = true
                default: break
                }
                if isPublished && isConnected { break }
            }
            await publication.leave()
            #expect(await life.value == nil)
            let requests = endpoint.requests
            #expect(requests.map(\.method) == [.POST, .DELETE])
            #expect(requests.map(\.path) == ["/whip", "/session/1"])
            #expect(requests.allSatisfy { $0.headers["Authorization"] == ["Bearer secret"] })
            #expect(requests.first?.headers["Content-Type"] == ["application/sdp"])
            let offer = try SessionDescription.parse(try #require(requests.first).body)
            #expect(offer.media.count == 1, "no data channel")
        }
    }

    @Test func otherTracksAreAnotherSession() async throws {
        try await withEndpoint { endpoint in
            let publication = publication(endpoint.address)
            let life = life(of: publication)
            var connections = 0
            for await event in publication.events {
                if case .joined = event { try await publication.publish(tracks()) }
                guard case .path(.connected) = event else { continue }
                connections += 1
                guard connections < 2 else { break }
                try await publication.publish([])
                try await publication.publish(tracks())
            }
            await publication.leave()
            #expect(await life.value == nil)
            #expect(endpoint.requests.map(\.method) == [.POST, .DELETE, .POST, .DELETE])
        }
    }

    @Test func aRefusalIsAnErrorWithTheServersWords() async throws {
        let endpoint = try await WHIPStub.start(on: group) { _ in
            .init(status: .unauthorized, body: #"{"detail":"token expired"}"#)
        }
        let publication = publication(endpoint.address)
        let life = Task { try? await publication.run() }
        for await event in publication.events {
            guard case .joined = event else { continue }
            await #expect(throws: RoomEnd.refused(code: 401, message: "token expired")) {
                try await publication.publish(tracks())
            }
            break
        }
        await publication.leave()
        await life.value
        #expect(endpoint.requests.map(\.method) == [.POST], "there was no session to delete")
        await endpoint.stop()
    }

    @Test func anAddressThatIsNoneIsRefusedAtOnce() async {
        await #expect(throws: RoomEnd.badEndpoint("whip")) { try await publication("whip").run() }
    }
}
