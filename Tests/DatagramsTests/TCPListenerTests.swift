import MediaKernel
import NIOCore
import NIOPosix
import Testing
import Workbench

@testable import Datagrams

/// Real connections on loopback; only the time is simulated.
@Suite(.timeLimit(.minutes(5))) struct TCPListenerTests {
    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// A listener and its received packets, in order.
    private struct World: Sendable {
        let loop: any EventLoop
        let listener: NIOLoopBound<TCPListener>
        let port: Int
        let arrived: AsyncStream<Arrival>

        struct Arrival: Sendable {
            let bytes: [UInt8]
            let source: TransportAddress
        }

        func onLoop<Result: Sendable>(
            _ body: @escaping @Sendable (TCPListener) -> Result
        ) async throws -> Result {
            try await loop.submit { [listener] in body(listener.value) }.get()
        }

        func connect() async throws -> Client {
            try await ClientBootstrap(group: loop)
                .channelOption(.socketOption(.so_rcvbuf), value: 32 << 10)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        }
    }

    private func withListener(
        links: Int = 1024, linksOfOne: Int = TCPListener.linksOfOneMaximum,
        _ body: (World) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let (arrived, continuation) = AsyncStream.makeStream(of: World.Arrival.self)
        let listener = try await TCPListener.bind(
            host: "127.0.0.1", port: 0, on: loop, links: links, linksOfOne: linksOfOne
        ) {
            .init(
                received: { continuation.yield(.init(bytes: $0, source: $1)) }, batchEnded: {})
        }.get()
        let port = try await loop.submit { Int(listener.value.localAddress?.port ?? 0) }.get()
        do {
            try await body(
                World(loop: loop, listener: listener, port: port, arrived: arrived))
        } catch {
            Issue.record(error)
        }
        try await loop.submit { listener.value.close() }.get()
        try await group.shutdownGracefully()
    }

    private static func framed(_ packet: [UInt8]) -> ByteBuffer {
        ByteBuffer(bytes: [UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)] + packet)
    }

    @Test func packetsComeAndGoWhole() async throws {
        try await withListener { world in
            try await world.connect().executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: [0, 3, 1]))
                try await outbound.write(ByteBuffer(bytes: [2, 3, 0, 1, 4]))
                var arrivals = world.arrived.makeAsyncIterator()
                let first = try #require(await arrivals.next())
                #expect(first.bytes == [1, 2, 3])
                #expect(first.source.transport == .tcp)
                #expect(await arrivals.next()?.bytes == [4])
                try await world.onLoop { listener in
                    listener.send([5, 6], to: first.source)
                    listener.send([], to: first.source)
                    listener.send([7], to: first.source)
                    listener.send([8], to: first.source.over(.udp))
                    listener.flush()
                }
                var answer: [UInt8] = []
                for try await buffer in inbound {
                    answer += Array(buffer.readableBytesView)
                    if answer.count >= 9 { break }
                }
                #expect(answer == [0, 2, 5, 6, 0, 0, 0, 1, 7])
            }
        }
    }

    @Test func whoDoesNotReadLosesWholePacketsAndHoldsNobodyUp() async throws {
        try await withListener { world in
            try await world.connect().executeThenClose { inbound, outbound in
                try await outbound.write(Self.framed([1]))
                var arrivals = world.arrived.makeAsyncIterator()
                let slow = try #require(await arrivals.next()).source
                let sent = 8000
                for start in stride(from: 0, to: sent, by: 100) {
                    // Each of these returns, which proves that the loop does not wait for any
                    // client.
                    try await world.onLoop { listener in
                        for number in start..<start + 100 {
                            let mark = [UInt8(number >> 8), UInt8(number & 0xFF)]
                            listener.send(
                                mark + [UInt8](repeating: 0, count: 1200), to: slow)
                        }
                        listener.flush()
                    }
                }
                let dropped = try await world.onLoop { $0.droppedDatagrams }
                #expect(dropped > 0)
                // Accepted packets arrive, complete and in order.
                var framing = StreamFraming(packetBytesMaximum: 1202)
                var numbers: [Int] = []
                for try await buffer in inbound {
                    framing.append(buffer.readableBytesView)
                    while let packet = try framing.next() {
                        try #require(packet.count == 1202)
                        numbers.append(Int(packet[0]) << 8 | Int(packet[1]))
                    }
                    if numbers.count >= sent - dropped { break }
                }
                #expect(numbers.count == sent - dropped)
                #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
                // A client that has caught up receives packets again.
                try await world.onLoop { listener in
                    listener.send([9], to: slow)
                    listener.flush()
                }
                #expect(try await world.onLoop { $0.droppedDatagrams } == dropped)
            }
        }
    }

    @Test func aConnectionWithoutUseIsClosed() async throws {
        try await withListener { world in
            try await world.connect().executeThenClose { stranger, _ in
                try await world.connect().executeThenClose { inbound, outbound in
                    try await outbound.write(Self.framed([1]))
                    var arrivals = world.arrived.makeAsyncIterator()
                    let source = try #require(await arrivals.next()).source
                    try await world.onLoop { listener in
                        listener.send([2], to: source)
                        listener.flush()
                        listener.tick(at: .zero)
                        listener.tick(at: .zero + TCPListener.strangerPatience)
                    }
                    // Ends once the other side has closed it.
                    for try await _ in stranger {}
                    #expect(try await world.onLoop { $0.linkCount } == 1)
                    try await world.onLoop { listener in
                        listener.tick(
                            at: .zero + (TCPListener.silencePatience - TCPListener.tickInterval))
                        listener.tick(at: .zero + TCPListener.silencePatience)
                    }
                    var heard = 0
                    for try await buffer in inbound { heard += buffer.readableBytes }
                    #expect(heard == 3)
                    #expect(try await world.onLoop { $0.linkCount } == 0)
                }
            }
        }
    }

    @Test func aConnectionIsClosedBehindWhatWasSentLast() async throws {
        try await withListener { world in
            try await world.connect().executeThenClose { inbound, outbound in
                try await outbound.write(Self.framed([1]))
                var arrivals = world.arrived.makeAsyncIterator()
                let source = try #require(await arrivals.next()).source
                try await world.onLoop { listener in
                    listener.close(source.over(.udp))
                    listener.send([2], to: source)
                    listener.close(source)
                    listener.flush()
                }
                var heard = 0
                for try await buffer in inbound { heard += buffer.readableBytes }
                #expect(heard == 3)
                #expect(try await world.onLoop { $0.linkCount } == 0)
            }
        }
    }

    @Test func aPacketThatMayNotBeClosesTheConnection() async throws {
        try await withListener { world in
            try await world.connect().executeThenClose { inbound, outbound in
                let tooLong = DatagramSocket.datagramBytesMaximum + 1
                try await outbound.write(
                    ByteBuffer(bytes: [UInt8(tooLong >> 8), UInt8(tooLong & 0xFF), 1]))
                for try await _ in inbound {}
                #expect(try await world.onLoop { $0.linkCount } == 0)
            }
        }
    }

    /// No matter how many of them belong to peers.
    @Test func oneAddressMayHaveSoManyConnectionsAndNoMore() async throws {
        try await withListener(linksOfOne: 3) { world in
            var channels: [any Channel] = []
            for number in 1...3 {
                let channel = try await ClientBootstrap(group: world.loop)
                    .connect(host: "127.0.0.1", port: world.port).get()
                channels.append(channel)
                #expect(
                    try await comesAbout { try await world.onLoop { $0.linkCount } >= number })
                let port = UInt16(try #require(channel.localAddress?.port))
                try await world.onLoop { listener in
                    listener.send(
                        [1], to: TransportAddress(ipv4: 127, 0, 0, 1, port: port).over(.tcp))
                }
            }
            try await world.connect().executeThenClose { inbound, _ in
                for try await _ in inbound {}
            }
            let count = try await world.onLoop { $0.linkCount }
            #expect(count == 3)
            for channel in channels { try await channel.close() }
        }
    }

    @Test func thereAreNoMoreConnectionsThanThereMayBe() async throws {
        try await withListener(links: 2) { world in
            var channels: [any Channel] = []
            for _ in 0..<2 {
                channels.append(
                    try await ClientBootstrap(group: world.loop)
                        .connect(host: "127.0.0.1", port: world.port).get())
            }
            try await world.connect().executeThenClose { inbound, _ in
                for try await _ in inbound {}
            }
            let count = try await world.onLoop { $0.linkCount }
            #expect(count == 2)
            for channel in channels { try await channel.close() }
        }
    }

    @Test func oneAddressMayHaveSoManyStrangersAndNoMore() async throws {
        try await withListener { world in
            var channels: [any Channel] = []
            for _ in 0..<TCPListener.strangersMaximum {
                channels.append(
                    try await ClientBootstrap(group: world.loop)
                        .connect(host: "127.0.0.1", port: world.port).get())
            }
            try await world.connect().executeThenClose { inbound, _ in
                for try await _ in inbound {}
            }
            let count = try await world.onLoop { $0.linkCount }
            #expect(count == TCPListener.strangersMaximum)
            // A client that has been answered is authenticated and makes room for another.
            let port = UInt16(try #require(channels[0].localAddress?.port))
            try await world.onLoop { listener in
                listener.send(
                    [1], to: TransportAddress(ipv4: 127, 0, 0, 1, port: port).over(.tcp))
            }
            try await world.connect().executeThenClose { _, outbound in
                try await outbound.write(Self.framed([2]))
                var arrivals = world.arrived.makeAsyncIterator()
                #expect(await arrivals.next()?.bytes == [2])
            }
            for channel in channels { try await channel.close() }
        }
    }
}
