import Logging
import MediaKernel
import NIOCore
import NIOPosix
import Testing

@testable import MediaServer

/// Several media loops behind one port, with real sockets on loopback.
@Suite(.timeLimit(.minutes(5))) struct LoopsTests {
    private func withServer(
        threads: Int, host: String = "127.0.0.1", advertised: [TransportAddress] = [],
        _ body: (MediaServer, any EventLoopGroup) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let server = try await MediaServer.start(
            configuration: .init(
                bindHosts: [host], port: 0, advertised: advertised, tcpPort: .sameAsUDP),
            group: group, logger: Logger(label: "test"))
        do {
            try await body(server, group)
        } catch {
            Issue.record(error)
        }
        await server.shutdown()
        try await group.shutdownGracefully()
    }

    /// Waits until the tracks flow.
    private func flow(_ tracks: Set<TrackID>, in room: MediaRoom) async {
        var missing = tracks
        for await event in room.events {
            if case .trackMedia(_, let track, isFlowing: true) = event { missing.remove(track) }
            if missing.isEmpty { return }
        }
        Issue.record("never came: \(missing)")
    }

    @Test(arguments: [TransportAddress.Transport.udp, .tcp])
    func whicheverLoopADatagramReachesItComesToItsRoom(
        _ transport: TransportAddress.Transport
    ) async throws {
        try await withServer(threads: 3) { server, group in
            let address = server.advertised[0].over(transport)
            var clients: [NIOLoopBound<MediaClient>] = []
            var rooms: [MediaRoom] = []
            for number in 0..<3 {
                let room = try await server.makeRoom(RoomID("room \(number)"))
                rooms.append(room)
                var tracks: Set<TrackID> = []
                // With four addresses the kernel rarely assigns all to the loop of their room.
                for name in ["ann", "ben", "cat", "dan"] {
                    try await room.addPeer(PeerID(name))
                    let client = try await MediaClient.connect(to: address, on: group.next())
                    clients.append(client)
                    try await client.publish("\(name)-voice", in: room, as: PeerID(name))
                    tracks.insert(TrackID("\(name)-voice"))
                }
                await flow(tracks, in: room)
            }
            for room in rooms { await room.close() }
            if transport == .tcp {
                // Clients that have left are released, even on the loop that holds the connection.
                for client in clients { try await client.ended() }
            }
            for client in clients { try await client.stop() }
        }
    }

    /// The clients' sockets accept datagrams only from the address to which they send.
    @Test(arguments: ["0.0.0.0", "::"])
    func answersLeaveFromTheAddressThatWasAsked(host: String) async throws {
        let asked = TransportAddress(ipv4: 127, 0, 0, 2, port: 0)
        try await withServer(threads: 2, host: host, advertised: [asked]) { server, group in
            let room = try await server.makeRoom("room")
            var clients: [NIOLoopBound<MediaClient>] = []
            var tracks: Set<TrackID> = []
            for name in ["ann", "ben", "cat", "dan"] {
                try await room.addPeer(PeerID(name))
                let client = try await MediaClient.connect(
                    to: server.advertised[0], on: group.next())
                clients.append(client)
                try await client.publish("\(name)-voice", in: room, as: PeerID(name))
                tracks.insert(TrackID("\(name)-voice"))
            }
            await flow(tracks, in: room)
            await room.close()
            for client in clients { try await client.stop() }
        }
    }

    @Test func roomsAreDealtOutToTheLoops() async throws {
        try await withServer(threads: 3) { server, _ in
            var rooms: [MediaRoom] = []
            for number in 0..<6 {
                rooms.append(try await server.makeRoom(RoomID("room \(number)")))
            }
            func loops(_ rooms: some Sequence<MediaRoom>) -> [ObjectIdentifier: Int] {
                rooms.reduce(into: [:]) { $0[ObjectIdentifier($1.eventLoop), default: 0] += 1 }
            }
            #expect(loops(rooms).values.sorted() == [2, 2, 2])
            // After two have ended there is room for two.
            let first = rooms.filter { $0.eventLoop === rooms[0].eventLoop }
            for room in first { await room.close() }
            for number in 6..<8 {
                rooms.append(try await server.makeRoom(RoomID("room \(number)")))
            }
            #expect(rooms[6...].allSatisfy { $0.eventLoop === rooms[0].eventLoop })
        }
    }

    @Test func aPortThatLoopsShareIsSharedWithNoOtherServer() async throws {
        try await withServer(threads: 2) { server, group in
            let port = Int(server.advertised[0].port)
            for other in [group, group.next()] as [any EventLoopGroup] {
                await #expect {
                    _ = try await MediaServer.start(
                        configuration: .init(
                            bindHosts: ["127.0.0.1"], port: port, advertised: []), group: other,
                        logger: Logger(label: "test"))
                } throws: {
                    "\($0)".hasPrefix("UDP 127.0.0.1:\(port) cannot be bound: ")
                }
            }
        }
    }
}

@Suite struct LoopDirectoryTests {
    private let address = TransportAddress(ipv4: 192, 0, 2, 1, port: 5000)
    private let directory = LoopDirectory(
        eventLoops: [
            MultiThreadedEventLoopGroup.singleton.next(),
            MultiThreadedEventLoopGroup.singleton.next(),
        ])

    private func claims(_ loop: Int, isProven: Bool = false, after time: Duration = .zero) -> Bool {
        directory.claim(address, for: loop, isProven: isProven, at: .zero + time)
    }

    @Test func anAddressBelongsToWhoeverProvedItLast() {
        #expect(directory.loop(of: address) == nil)
        // No client has authenticated yet: the last claim is as good as the first.
        #expect(claims(0))
        #expect(claims(1))
        #expect(claims(0, isProven: true))
        #expect(!claims(1))
        #expect(directory.loop(of: address) == 0)
        #expect(claims(1, isProven: true))
        directory.release(address, of: 0)
        #expect(directory.loop(of: address) == 1)
        directory.release(address, of: 1)
        #expect(directory.loop(of: address) == nil)
    }

    @Test func anAddressIsFreeOnceWhoeverHasItIsHeardNoMore() {
        #expect(claims(0))
        directory.hold(address, for: 1, at: .zero)
        #expect(claims(0))
        directory.hold(address, for: 0, at: .zero)
        #expect(!claims(1, after: .seconds(29)))
        directory.hold(address, for: 0, at: .zero + .seconds(29))
        #expect(!claims(1, after: .seconds(58)))
        #expect(claims(1, after: .seconds(59)))
        #expect(directory.loop(of: address) == 1)
    }

    @Test func aRoomGoesWhereThereIsLeastToDo() {
        #expect(directory.placeRoom() == 0)
        #expect(directory.placeRoom() == 1)
        // A room with few peers counts as one that expects more.
        directory.addConnection(to: 0)
        #expect(directory.placeRoom() == 0)
        for _ in 0..<9 { directory.addConnection(to: 1) }
        #expect(directory.placeRoom() == 0)
        for _ in 0..<9 { directory.removeConnection(from: 1) }
        directory.removeRoom(from: 1)
        #expect(directory.placeRoom() == 1)
    }

    @Test func theLoopThatHasAllRoomsIsKnown() {
        func only() -> Int? {
            var found: Int?
            directory.withOnlyLoop { found = $0 }
            return found
        }
        #expect(only() == nil)
        #expect(directory.placeRoom() == 0)
        #expect(only() == 0)
        #expect(directory.placeRoom() == 1)
        #expect(only() == nil)
        directory.removeRoom(from: 0)
        #expect(only() == 1)
        directory.removeRoom(from: 1)
        #expect(only() == nil)
    }
}

@Suite struct LoopInboxTests {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let address = TransportAddress(ipv4: 192, 0, 2, 1, port: 5000)

    /// The items taken from those that are put while the loop is busy.
    private func taken(_ items: [LoopInbox.Item]) async throws -> [[LoopInbox.Item]] {
        let loop = group.next()
        let inbox = LoopInbox(eventLoop: loop)
        let taken = NIOLoopBoundBox.makeBoxSendingValue([[LoopInbox.Item]](), eventLoop: loop)
        let all = loop.makePromise(of: Void.self)
        let last = LoopInbox.Item.lost(TransportAddress(ipv4: 192, 0, 2, 2, port: 1))
        inbox.open { items in
            taken.value.append(items.filter { $0 != last })
            if items.contains(last) { all.succeed() }
        }
        try await loop.submit { for item in items + [last] { inbox.put(item) } }.get()
        try await all.futureResult.get()
        let result = try await loop.submit { taken.value }.get()
        _ = inbox.close()
        inbox.put(.close(address, listener: 0))
        let rest = try await loop.submit { taken.value.count }.get()
        #expect(rest == result.count)
        try await group.shutdownGracefully()
        return result
    }

    @Test func whatComesWhileTheLoopIsBusyIsTakenAtOnce() async throws {
        let items: [LoopInbox.Item] = [
            .received([1], from: address, port: 0), .send([2], to: address, listener: 0),
            .lost(address), .close(address, listener: 0),
        ]
        #expect(try await taken(items) == [items])
    }

    @Test func tooManyDatagramsAreDroppedAndNothingElse() async throws {
        let half = LoopInbox.Item.received(
            [UInt8](repeating: 0, count: LoopInbox.bytesMaximum / 2 - 64), from: address, port: 0)
        let close = LoopInbox.Item.close(address, listener: 0)
        let items = try await taken([half, half, half, .lost(address), half, close])
        #expect(items == [[half, half, .lost(address), close]])
    }

    @Test func emptyDatagramsAreLimitedToo() async throws {
        let empty = LoopInbox.Item.received([], from: address, port: 0)
        let most = LoopInbox.bytesMaximum / 64
        let items = try await taken(Array(repeating: empty, count: most + 1))
        #expect(items.reduce(0) { $0 + $1.count } == most)
    }

    @Test func ofManySomeAreTakenAtATimeInOrder() async throws {
        let items = (0..<100).map { number in
            LoopInbox.Item.received([UInt8(number)], from: address, port: 0)
        }
        let slices = try await taken(items)
        #expect(slices.map(\.count) == [32, 32, 32, 4])
        #expect(Array(slices.joined()) == items)
    }
}
