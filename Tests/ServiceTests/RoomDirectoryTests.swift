import Catalogue
import ChildProcesses
import Clocks
import HundredMSTerms
import Logging
import MediaKernel
import MediaServer
import NIOCore
import NIOPosix
import NIOWebSocket
import RoomHost
import Rooms
import Streams
import Testing
import Tokens

@testable import ControlAPI
@testable import HundredMS
@testable import Service

/// Occupied rooms, and the recipients of their events.
@Suite(.timeLimit(.minutes(5))) struct RoomDirectoryTests {
    /// Runs the body with a directory of rooms; Ann is in one of them.
    private func withAnn(
        settings: RoomSettings = RoomSettings(),
        _ body: @Sendable (RoomDirectory, StreamsWorld) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let media = try await MediaServer.start(
            configuration: MediaServerConfiguration(
                bindHosts: ["127.0.0.1"], port: 0, advertised: []),
            group: MultiThreadedEventLoopGroup.singleton, logger: logger)
        try await StreamsWorld().run { world in
            let directory = try RoomDirectory(
                in: world, settings: settings, media: media, logger: logger)
            let token = try world.authority.makeRoomToken(
                room: "demo", user: "ann", role: "host", at: .now)
            let claims = try await world.authority.verifyRoomToken(token, at: .now)
            let socket = WebSocketConnection { _ in }
            let inbound = WebSocketInbox.Frames.makeSequence(
                elementType: WebSocketFrame.self,
                backPressureStrategy: .init(lowWatermark: 2, highWatermark: 10),
                finishOnDeinit: true, delegate: WebSocketInbox.Reader {})
            let (client, messages) = (
                inbound.source, WebSocketMessages(inbound: inbound.sequence, connection: socket)
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await directory.open(
                        peer: "ann", claims: claims, userAgent: "", authority: "h",
                        socket: socket, messages: messages)
                }
                let join = #"{"id":"1","method":"join","params":{"name":"Ann","data":""}}"#
                _ = client.yield(
                    WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: join)))
                try await until { await directory.activeRoom("demo") != nil }
                try await body(directory, world)
                client.finish()
                socket.disconnected()
            }
        }
        await media.shutdown()
    }

    @Test func theEndOfARoomIsThatOfStreamsWhoseBotsAreNotInIt() async throws {
        try await withAnn { directory, world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            try await directory.end("demo", isLocked: false, reason: "done")
            #expect(await bot.nextSignal() == .stop)
            await world.settle()
            #expect(try await world.streams.stream(id)?.end == .roomEnded)
        }
    }

    @Test func aRoomWhoseOnlyPeerMayComeBackIsEnded() async throws {
        var settings = RoomSettings()
        settings.limits.shownAbsence = .zero
        try await withAnn(settings: settings) { directory, _ in
            let host = try #require(await directory.host(of: "demo"))
            await host.loseConnections()
            await host.tick()
            #expect(await directory.activeRoom("demo") == nil)
            try await directory.end("demo", isLocked: false, reason: "done")
            #expect(await host.snapshot().session == nil)
            await #expect(throws: APIError.self) {
                try await directory.end("demo", isLocked: false, reason: "done")
            }
        }
    }

    @Test func theLastOfSeveralChangesHoldsInWhicheverOrderTheyAreHeardOf() async throws {
        try await withAnn { directory, world in
            let enabled = try #require(try await world.catalogue.room("demo"))
            let update = try await world.catalogue.updateRoom(
                "demo", at: world.clock.time
            ) { room in
                room.isEnabled = false
                return true
            }
            guard case .updated(let disabled) = update else {
                Issue.record("\(update)")
                return
            }
            await directory.roomChanged(disabled, saysEnabled: true)
            await directory.roomChanged(enabled, saysEnabled: true)
            let host = try #require(await directory.host(of: "demo"))
            #expect(await host.room.isLocked)
        }
    }
}

extension RoomHost {
    fileprivate func loseConnections() async {
        guard let sessions = sessions(of: HundredMSSessions.self) else { return }
        for id in sessions.connections.keys { await sessions.closed(id, in: self) }
    }
}

extension RoomDirectory {
    /// With the streams of a test's world.
    init(
        in world: StreamsWorld, settings: RoomSettings = RoomSettings(), media: MediaServer,
        logger: Logger
    ) throws {
        self.init(
            policies: try PolicyStore(
                policy: .standard, streams: StreamSettings(), catalogue: world.catalogue),
            settings: settings,
            registry: RoomRegistry(
                catalogue: world.catalogue, opensOnJoin: true, logger: logger),
            media: media,
            streaming: StreamsInRoom(control: world.streams, chat: world.chat, authorities: []),
            streams: world.streams, opensTokens: false, turn: nil, recorder: nil, logger: logger)
    }
}
