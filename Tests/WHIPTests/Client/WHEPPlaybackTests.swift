import Logging
import MediaClient
import MediaKernel
import MediaServer
import NIOCore
import NIOHTTP1
import NIOPosix
import PeerConnection
import RemoteRoom
import SDP
import Synchronization
import Testing
import Workbench

@testable import WHIP

/// Uses an endpoint on loopback with a media server behind it.
@Suite(.timeLimit(.minutes(5))) struct WHEPPlaybackTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    private func playback(_ endpoint: String, receivesVideo: Bool = true) -> WHEPPlayback {
        WHEPAddress(
            endpoint: endpoint, token: "secret",
            hosts: WebHosts([String(endpoint.dropFirst(7).prefix { $0 != "/" })], allowsHTTP: true)
                ?? WebHosts()
        ).room(
            for: RoomGuest(name: "recorder", receivesVideo: receivesVideo), on: group,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { DeafObserver() }
    }

    private func life(of playback: WHEPPlayback) -> Task<RoomEnd?, Never> {
        Task {
            do throws(RoomEnd) {
                try await playback.run()
                return nil
            } catch {
                return error
            }
        }
    }

    /// A media server's room behind an endpoint, in which the session is a peer. It answers offers,
    /// or makes its own.
    private func withEndpoint(
        counters: Bool, _ body: (WHIPStub) async throws -> Void
    ) async throws {
        let media = try await MediaServer.start(
            configuration: .init(bindHosts: ["127.0.0.1"], port: 0, advertised: []),
            group: group, logger: Logger(label: "test"))
        let room = try await media.makeRoom("room")
        let key = ConnectionKey.named("whep")
        let endpoint = try await WHIPStub.start(on: group) { request in
            let headers: HTTPHeaders = [
                "Location": "/session/1", "Content-Type": "application/sdp",
            ]
            switch request.method {
            case .POST where counters:
                try await room.addPeer("ann")
                let offer = try await room.makeOffer([.audio, .video], on: key, to: "ann")
                return .init(status: .notAcceptable, headers: headers, body: offer.rendered())
            case .POST:
                try await room.addPeer("ann")
                let offer = try SessionDescription.parse(request.body)
                let answer = try await room.offer(offer, on: key, from: "ann").rendered()
                return .init(status: .created, headers: headers, body: answer)
            case .PATCH:
                let answer = try SessionDescription.parse(request.body)
                try await room.answer(answer, on: key, from: "ann")
                return .init(status: .noContent)
            default:
                await room.removePeer("ann")
                return .init(status: .ok)
            }
        }
        try await body(endpoint)
        await endpoint.stop()
        await media.shutdown()
    }

    @Test(arguments: [false, true])
    func whatIsPlayedIsOnePeerWithATrackOfEachKind(counters: Bool) async throws {
        try await withEndpoint(counters: counters) { endpoint in
            let playback = playback(endpoint.address)
            let life = life(of: playback)
            var peers: [RemotePeer] = []
            var (hasJoined, isConnected) = (false, false)
            for await event in playback.events {
                switch event {
                case .roster(let roster): peers = roster
                case .joined: hasJoined = true
                case .path(.connected): isConnected = true
                default: break
                }
                if hasJoined && isConnected { break }
            }
            let peer = try #require(peers.first)
            #expect(peers.count == 1 && peer.id == "source")
            #expect(peer.tracks.map(\.isVideo) == [false, true])
            #expect(Set(peer.tracks.map(\.id)).count == 2, "a name of its own for each")
            await playback.leave()
            #expect(await life.value == nil)
            let asked = endpoint.requests
            let methods: [HTTPMethod] = counters ? [.POST, .PATCH, .DELETE] : [.POST, .DELETE]
            #expect(asked.map(\.method) == methods)
            #expect(asked.allSatisfy { $0.headers["Authorization"] == ["Bearer secret"] })
            let offer = try SessionDescription.parse(try #require(asked.first).body)
            #expect(offer.media.map(\.direction) == [.receiveOnly, .receiveOnly])
        }
    }

    @Test func whoWantsNoPicturesAsksForNone() async throws {
        try await withEndpoint(counters: false) { endpoint in
            let playback = playback(endpoint.address, receivesVideo: false)
            let life = life(of: playback)
            for await event in playback.events {
                guard case .roster(let peers) = event else { continue }
                #expect(peers.first?.tracks.map(\.isVideo) == [false])
                break
            }
            await playback.leave()
            #expect(await life.value == nil)
        }
    }

    @Test func aSourceThatIsAwaitedCanBeLeft() async throws {
        let (asked, sink) = AsyncStream.makeStream(of: Void.self)
        let endpoint = try await WHIPStub.start(on: group) { _ in
            sink.yield()
            return .init(status: .conflict, headers: ["Retry-After": "20"])
        }
        let playback = playback(endpoint.address)
        let life = life(of: playback)
        for await _ in asked { break }
        await playback.leave()
        #expect(await life.value == nil)
        #expect(endpoint.requests.map(\.method) == [.POST])
        await endpoint.stop()
    }

    /// Otherwise the server would keep it until it misses our consent.
    @Test func aSessionThatBeginsWhileTheClientLeavesIsEnded() async throws {
        let (asked, sink) = AsyncStream.makeStream(of: Void.self)
        let (leaves, leaving) = AsyncStream.makeStream(of: Void.self)
        let endpoint = try await WHIPStub.start(on: group) { request in
            guard request.method == .POST else { return .init(status: .ok) }
            sink.yield()
            for await _ in leaves { break }
            return .init(
                status: .created,
                headers: ["Location": "/session/1", "Content-Type": "application/sdp"],
                body: "too late to be read")
        }
        let playback = playback(endpoint.address)
        let life = life(of: playback)
        for await _ in asked { break }
        async let left: Void = playback.leave()
        #expect(await comesAbout { playback.stay.isLeaving })
        leaving.yield()
        await left
        #expect(await life.value == nil)
        #expect(endpoint.requests.map(\.method) == [.POST, .DELETE])
        #expect(endpoint.requests.last?.path == "/session/1")
        await endpoint.stop()
    }

    @Test func aRefusalIsAnErrorWithTheServersWords() async throws {
        let endpoint = try await WHIPStub.start(on: group) { _ in
            .init(status: .unauthorized, body: #"{"detail":"token expired"}"#)
        }
        let end = await life(of: playback(endpoint.address)).value
        #expect(end == .refused(code: 401, message: "token expired"))
        await endpoint.stop()
    }
}
