import MediaKernel
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import WebPage

/// The guard's proxy, on the loopback.
@Suite struct GuardProxyTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Runs a proxy that may reach the origin's address.
    private func withProxy(
        to origin: Int = 9, _ body: (_ port: Int, _ refusals: Words) async throws -> Void
    ) async throws {
        let (descriptor, port) = try #require(GuardProxy.listen())
        let hosts = try #require(WebHosts(["127.0.0.1:\(origin)"], allowsHTTP: true))
        let refusals = Words()
        let proxy = GuardProxy(addresses: AddressGuard(hosts: hosts, networks: [])) {
            refusals.add($0)
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try? await proxy.run(on: group, listening: descriptor) }
            try await body(Int(port), refusals)
            tasks.cancelAll()
        }
    }

    @Test func anAnswerArrivesWholeThoughTheBrowserReadsSlowly() async throws {
        let sent = 3 << 20
        let origin = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Origin(bytes: sent))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(origin.localAddress?.port)
        try await withProxy(to: port) { proxy, _ in
            let answer = try await asked(
                "GET http://127.0.0.1:\(port)/ HTTP/1.1\r\n\r\n", of: proxy)
            #expect(answer.count == sent)
        }
        try await origin.close()
    }

    @Test func aRefusedAddressIsAnsweredAndReported() async throws {
        try await withProxy { proxy, refusals in
            for line in ["GET http://127.0.0.2:8080/ HTTP/1.1", "CONNECT 127.0.0.2:8080 HTTP/1.1"] {
                let answer = try await asked("\(line)\r\n\r\n", of: proxy)
                let text = String(decoding: answer, as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
                #expect(text.hasSuffix("customView.hosts does not list it\n"))
            }
            #expect(refusals.all.count == 2)
        }
    }

    @Test func oneConnectionTooManyIsClosedAndHarmsNoOther() async throws {
        try await withProxy { proxy, _ in
            var open: [(channel: any Channel, collector: Collector)] = []
            for _ in 0...GuardProxy.connectionsMaximum {
                let collector = Collector(group.next())
                open.append((try await connection(to: proxy, collector), collector))
            }
            // The proxy's loops may count them in another order.
            let refused = await withTaskGroup(of: [UInt8]?.self) { tasks in
                for (_, collector) in open {
                    tasks.addTask { try? await collector.end.futureResult.get() }
                }
                let first = await tasks.next() ?? nil
                for (channel, _) in open { try? await channel.close() }
                return first
            }
            #expect(refused == [], "it is closed without an answer")
            var answer: [UInt8] = []
            // Its places are free once the proxy has seen the ends.
            for _ in 0..<10_000 where answer.isEmpty {
                answer = try await asked("GET http://127.0.0.2/ HTTP/1.1\r\n\r\n", of: proxy)
            }
            #expect(!answer.isEmpty)
        }
    }

    /// What a connection brings until its end.
    private func asked(_ request: String, of port: Int) async throws -> [UInt8] {
        let collector = Collector(group.next())
        let channel = try await connection(to: port, collector)
        if !request.isEmpty { try? await channel.writeAndFlush(ByteBuffer(string: request)) }
        return try await collector.end.futureResult.get()
    }

    private func connection(to port: Int, _ collector: Collector) async throws -> any Channel {
        try await ClientBootstrap(group: collector.end.futureResult.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .channelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1024)
            )
            .channelInitializer { $0.pipeline.addHandler(collector) }
            .connect(host: "127.0.0.1", port: port).get()
    }
}

/// Collects a connection's bytes, few at a time.
private final class Collector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let end: EventLoopPromise<[UInt8]>
    private let bytes = Mutex<[UInt8]>([])

    init(_ eventLoop: any EventLoop) { end = eventLoop.makePromise() }

    func channelActive(context: ChannelHandlerContext) { context.read() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes.withLock { $0 += unwrapInboundIn(data).readableBytesView }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.read() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end.succeed(bytes.withLock { $0 })
    }
}

/// Answers anything with so many bytes and the end of the connection.
private final class Origin: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 7, count: bytes)))
            .whenComplete { _ in channel.close(promise: nil) }
    }
}

private final class Words: Sendable {
    private let words = Mutex<[String]>([])

    var all: [String] { words.withLock { $0 } }

    func add(_ word: String) { words.withLock { $0.append(word) } }
}
