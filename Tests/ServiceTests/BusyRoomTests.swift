import Clocks
import Dispatch
import Foundation
import Logging
import MediaKernel
import MediaServer
import NIOCore
import NIOPosix
import NIOWebSocket
import RoomHost
import Rooms
import Streams
import Synchronization
import Testing
import Tokens
import Workbench

@testable import ControlAPI
@testable import HundredMS
@testable import Service

/// A busy room delays no other, whatever it is busy with.
@Suite(.timeLimit(.minutes(5)), .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
struct BusyRoomTests {
    private struct Guest: Sendable {
        let frames: WebSocketInbox.Frames.Source
        let socket: WebSocketConnection

        func say(_ text: String) {
            _ = frames.yield(
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
        }
    }

    /// Runs the body with two rooms, with one peer each.
    private func withRooms(
        _ body: @Sendable (RoomDirectory, StreamsWorld, [RoomID: Guest]) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let media = try await MediaServer.start(
            configuration: MediaServerConfiguration(
                bindHosts: ["127.0.0.1"], port: 0, advertised: []),
            group: MultiThreadedEventLoopGroup.singleton, logger: logger)
        try await StreamsWorld().run { world in
            let directory = try RoomDirectory(in: world, media: media, logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                var guests: [RoomID: Guest] = [:]
                for room: RoomID in ["busy", "other"] {
                    let token = try world.authority.makeRoomToken(
                        room: room, user: "ann", role: "host", at: .now)
                    let claims = try await world.authority.verifyRoomToken(token, at: .now)
                    let socket = WebSocketConnection { _ in }
                    let inbound = WebSocketInbox.Frames.makeSequence(
                        elementType: WebSocketFrame.self,
                        backPressureStrategy: .init(lowWatermark: 2, highWatermark: 10),
                        finishOnDeinit: true, delegate: WebSocketInbox.Reader {})
                    let messages = WebSocketMessages(
                        inbound: inbound.sequence, connection: socket)
                    group.addTask {
                        await directory.open(
                            peer: "ann", claims: claims, userAgent: "", authority: "h",
                            socket: socket, messages: messages)
                    }
                    let guest = Guest(frames: inbound.source, socket: socket)
                    guests[room] = guest
                    guest.say(#"{"id":"1","method":"join","params":{"name":"A","data":""}}"#)
                    try await until { await directory.activeRoom(room) != nil }
                }
                try await body(directory, world, guests)
                for guest in guests.values {
                    guest.frames.finish()
                    guest.socket.disconnected()
                }
            }
        }
        await media.shutdown()
    }

    /// The call's result, if it returned: a call that waits for a busy room does not.
    private func answered<Value: Sendable>(
        _ call: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let answer = Mutex<Value?>(nil)
        let asking = Task {
            let value = await call()
            answer.withLock { $0 = value }
        }
        defer { asking.cancel() }
        return await comesAbout(within: .seconds(60)) { answer.withLock { $0 != nil } }
            ? answer.withLock { $0 } : nil
    }

    @Test func othersAreListedAndAnswerAndPassTheirTimeAndEnd() async throws {
        try await withRooms { directory, world, guests in
            let busy = try #require(await directory.host(of: "busy"))
            let other = try #require(await directory.host(of: "other"))
            let stream = LiveStream(
                id: "s1", room: "busy", session: nil, playback: LiveStream.Playback(url: "/s1"),
                createdAt: .now, startedBy: "")
            let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let work = Task { await busy.work(began, until: gate) }
            try await until { began.wait(timeout: .now()) == .success }

            // Lists and figures contain the known state.
            #expect(await answered { await directory.rooms() }?.map(\.peerCount) == [1, 1])
            #expect(await answered { await directory.scene(of: "busy").session ?? "" } != "")
            let metrics = await answered { await directory.metrics() } ?? []
            let peers = metrics.first { $0.name == "roomcast_peers" }
            #expect(peers?.samples.map(\.value) == [2])
            let each = metrics.first { $0.name == "roomcast_room_peers" }
            #expect(each?.samples.map { $0.labels[0].value } == ["busy", "other"])

            // Another room answers, receives events of its streams, advances its time and is
            // released.
            #expect(await answered { await other.ping() } != nil)
            for room: RoomID in ["busy", "other"] {
                let told: Void? = await answered {
                    await directory.streamingChanged(room: room, streams: [stream])
                }
                #expect(told != nil)
            }
            try await until { await !other.room.streaming.hls.variants.isEmpty }
            guests["other"]?.say(#"{"method":"leave","params":{}}"#)
            guests["other"]?.frames.finish()
            try await until {
                await directory.tick()
                return await directory.host(of: "other") == nil
            }
            #expect(await directory.host(of: "busy") != nil)

            gate.signal()
            await work.value
            try await until { await !busy.room.streaming.hls.variants.isEmpty }
        }
    }
}

extension RoomHost {
    /// Blocks the room's thread, like a long computation.
    fileprivate func work(_ began: DispatchSemaphore, until gate: DispatchSemaphore) {
        began.signal()
        _ = gate.wait(timeout: .now() + 50)
    }

    fileprivate func ping() async {
        guard let sessions = sessions(of: HundredMSSessions.self) else { return }
        for id in sessions.connections.keys {
            await sessions.received(
                #"{"id":"2","method":"ping","params":{"timestamp":1}}"#, on: id, in: self)
        }
    }
}
