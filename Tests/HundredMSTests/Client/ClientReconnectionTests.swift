import Foundation
import HundredMSTerms
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
import Rooms
import SDP
import Synchronization
import Testing

@testable import HundredMS

/// Clients whose server falls silent, is lost, or is unavailable.
@Suite(.timeLimit(.minutes(5))) struct ClientReconnectionTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let clock = ClockDouble()

    private func client(of server: SocketServer) async throws -> HundredMSClient {
        let door = try await StubServer.start(on: group, status: .ok, body: server.initBody)
        return HundredMSClient(
            configuration: HundredMSClient.Configuration(
                endpoint: door.endpoint, token: "t", peer: "ann", guest: RoomGuest(name: "Ann")),
            group: group, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: { [clock] in clock.now }, makeObserver: { DeafObserver() })
    }

    @Test(arguments: [true, false])
    func aServerThatSaysNothingIsLeft(upgrades: Bool) async throws {
        let server = try await SocketServer.start(on: group, upgrades: upgrades)
        let client = try await client(of: server)
        let life = Task { try await client.run() }
        _ = try #require(await server.nextSocket())
        clock.advance(SignallingClient.silenceMaximum)
        await #expect(throws: RoomEnd.unreachable("no sign of life")) {
            try await end(of: life)
        }
    }

    /// A client that is in a room, and its socket.
    private func entered(
        _ server: SocketServer,
        _ body: (HundredMSClient, Task<Void, any Error>, SocketServer.Socket) async throws -> Void
    ) async throws {
        let media = try await MediaServer.start(
            configuration: .init(bindHosts: ["127.0.0.1"], port: 0, advertised: []),
            group: group, logger: Logger(label: "test"))
        let room = try await media.makeRoom("room", channel: HundredMS.channel)
        try await room.addPeer("ann")
        let client = try await client(of: server)
        let life = Task { try await client.run() }
        let first = try #require(await server.nextSocket())
        try greet(first)
        let join = try JSONDocument.decode(
            Join.self, from: Data(try #require(await first.next(with: #""join""#)).utf8))
        let answer = try await room.offer(
            try SessionDescription.parse(join.params.offer.sdp), on: .publish, from: "ann"
        ).rendered()
        first.send(
            String(
                decoding: try JSONEncoder().encode(
                    Join.Answer(id: join.id, result: .init(type: "answer", sdp: answer))),
                as: UTF8.self))
        for await event in client.events {
            if case .joined = event { break }
        }
        try await body(client, life, first)
        life.cancel()
        try? await life.value
        await media.shutdown()
    }

    private func end(of life: Task<Void, any Error>) async throws {
        try await withTaskCancellationHandler {
            try await life.value
        } onCancel: {
            life.cancel()
        }
    }

    private func greet(_ socket: SocketServer.Socket) throws {
        socket.send(
            try FrameCodec.text(
                of: CallFrame.serverNotification(
                    .onPolicyChange, PolicyPayload(.standard, role: "host"))))
    }

    @Test func aConnectionThatWasTakenUpAgainHasItsOwnMinuteWhenItIsLost() async throws {
        let server = try await SocketServer.start(on: group)
        try await entered(server) { _, _, first in
            first.close()
            let second = try #require(await server.nextSocket())
            try greet(second)
            // It has returned to the room.
            _ = try #require(await second.next(with: #""track-update""#))
            // An hour later the silence is too long.
            clock.advance(.seconds(3600))
            let third = await server.nextSocket()
            #expect(third != nil, "it comes again")
        }
    }

    @Test(arguments: [HTTPResponseStatus.badGateway, .serviceUnavailable, .gatewayTimeout])
    func aProxyWhoseServerIsAwayIsTriedAgain(status: HTTPResponseStatus) async throws {
        let server = try await SocketServer.start(on: group)
        try await entered(server) { _, _, first in
            server.answer(with: status, .switchingProtocols)
            first.close()
            #expect(await server.nextRefusal() == status)
            let second = try #require(await server.nextSocket())
            try greet(second)
            _ = try #require(await second.next(with: #""track-update""#))
        }
    }

    @Test func aProxyWhoseServerStaysAwayIsLeftAfterAMinute() async throws {
        let server = try await SocketServer.start(on: group)
        try await entered(server) { _, life, first in
            server.answer(with: .badGateway)
            first.close()
            _ = await server.nextRefusal()
            clock.advance(.seconds(61))
            // The answer, or its absence for so long, whichever is checked first.
            let error = await #expect(throws: RoomEnd.self) { try await end(of: life) }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func aServerThatDoesNotWantTheSocketIsNotAskedAgain() async throws {
        let server = try await SocketServer.start(on: group)
        try await entered(server) { _, life, first in
            server.answer(with: .forbidden)
            first.close()
            await #expect(
                throws: RoomEnd.protocolViolation(
                    "the server refused the WebSocket with 403 Forbidden")
            ) { try await end(of: life) }
        }
    }

    /// For instance after its restart.
    @Test func aServerThatKnowsNothingOfUsIsJoinedAnewWithNewConnections() async throws {
        let server = try await SocketServer.start(on: group)
        try await entered(server) { client, life, first in
            var numbers = PayloadTypeAllocator()
            try await client.publish([
                LocalTrack(
                    .opus, streamID: "s", trackID: "t", numbers: &numbers)
            ])
            let before = try #require(await first.next(with: #""offer""#))
            first.close()
            let second = try #require(await server.nextSocket())
            try greet(second)
            let offer = try JSONDocument.decode(
                Call.self, from: try #require(await second.next(with: #""offer""#)).utf8)
            second.send(
                try FrameCodec.text(
                    of: ErrorFrame(
                        id: .string(offer.id),
                        error: SignallingError.placeLost("ann", kept: .zero).payload(for: .web))))
            second.close()
            let third = try #require(await server.nextSocket())
            try greet(third)
            let join = try #require(await third.next(with: #""join""#))
            func fragment(_ frame: String) -> Substring? {
                frame.firstRange(of: "ice-ufrag:").map { frame[$0.upperBound...].prefix(4) }
            }
            #expect(fragment(join) != fragment(before))
            third.close()
            #expect(await server.nextSocket() != nil, "it has been in the room, and comes again")
            life.cancel()
        }
    }

    @Test func aServerThatClosesBeforeTheJoinIsAnsweredIsLeft() async throws {
        let server = try await SocketServer.start(on: group)
        let client = try await client(of: server)
        let life = Task { try await client.run() }
        let socket = try #require(await server.nextSocket())
        try greet(socket)
        _ = try #require(await socket.next(with: #""join""#))
        socket.close()
        await #expect(throws: RoomEnd.self) { try await end(of: life) }
    }

    @Test func whoLosesItsNetworkWhileItJoinsJoinsAgain() async throws {
        let server = try await SocketServer.start(on: group)
        let client = try await client(of: server)
        let life = Task { try await client.run() }
        let first = try #require(await server.nextSocket())
        try greet(first)
        _ = try #require(await first.next(with: #""join""#))
        try await client.interrupt(for: .seconds(1))
        let second = try #require(await server.nextSocket())
        try greet(second)
        #expect(await second.next(with: #""join""#) != nil)
        life.cancel()
        try? await life.value
    }
}

private struct Call: Decodable { var id: String }

private struct Join: Decodable {
    struct Parameters: Decodable {
        var offer: Description
    }

    struct Description: Codable {
        var type: String
        var sdp: String
    }

    struct Answer: Encodable {
        var id: String
        var result: Description
    }

    var id: String
    var params: Parameters
}

/// Advances only when told to.
private final class ClockDouble: Sendable {
    private let elapsed = Mutex(Duration.seconds(1000))

    func advance(_ duration: Duration) { elapsed.withLock { $0 += duration } }

    var now: Instant { .zero + elapsed.withLock { $0 } }
}

private final class DeafObserver: ClientMediaObserver {
    func start(_ media: ClientMedia) {}
    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {}
    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {}
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {}
    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {}
    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {}
    func tick(at now: Instant) {}
}
