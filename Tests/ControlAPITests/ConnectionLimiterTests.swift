import Logging
import MediaKernel
import NIOCore
import NIOEmbedded
import Testing

@testable import ControlAPI

@Suite struct ConnectionLimiterTests {
    private let loop = EmbeddedEventLoop()
    private let limiter = ConnectionLimiter(
        maximum: 2, logger: Logger(label: "test"), clock: { .zero })

    private func channel(from host: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(loop: loop)
        channel.remoteAddress = try SocketAddress(ipAddress: host, port: 1)
        return channel
    }

    @Test func oneAddressHasSoManyAndOthersHaveTheirs() throws {
        let first = try channel(from: "192.0.2.1")
        let others = try ["::ffff:192.0.2.1", "192.0.2.2"].map { try channel(from: $0) }
        #expect(limiter.admission(of: first) == .served)
        #expect(others.map(limiter.admission) == [.served, .served])
        let late = try channel(from: "192.0.2.1")
        #expect(limiter.admission(of: late) == .refused)
        _ = try first.finish()
        #expect(limiter.admission(of: try channel(from: "192.0.2.1")) == .served)
        #expect(limiter.admission(of: try channel(from: "192.0.2.1")) == .refused)
    }

    @Test func aNetworkOfIPv6IsOneAddress() throws {
        for (host, admission) in [
            ("2001:db8::1", ConnectionLimiter.Admission.served), ("2001:db8::2", .served),
            ("2001:db8::3", .refused), ("2001:db8:0:1::1", .served),
        ] {
            #expect(limiter.admission(of: try channel(from: host)) == admission)
        }
    }

    @Test(arguments: ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"])
    func thisMachineIsNotCounted(host: String) throws {
        for _ in 0..<5 { #expect(limiter.admission(of: try channel(from: host)) == .served) }
    }

    @Test func soManyAreToldThatTheyAreRefused() throws {
        for _ in 0..<2 { #expect(limiter.admission(of: try channel(from: "192.0.2.1")) == .served) }
        let refused = try (0..<ConnectionLimiter.refusedMaximum).map { _ in
            try channel(from: "192.0.2.1")
        }
        #expect(refused.allSatisfy { limiter.admission(of: $0) == .refused })
        #expect(limiter.admission(of: try channel(from: "192.0.2.1")) == .dropped)
        _ = try refused[0].finish()
        #expect(limiter.admission(of: try channel(from: "192.0.2.1")) == .refused)
    }

    @Test func refusalsAreToldOnceAMinuteWithTheirNumber() {
        var refusals = RefusalCount()
        let told = [0, 1, 59, 60, 61, 300].map { refusals.add(at: .zero + .seconds($0)) }
        #expect(told == [1, nil, nil, 3, nil, 2])
    }

    @Test func whoIsRefusedIsToldWhenItHasAsked() throws {
        let channel = EmbeddedChannel(handler: RefusedConnection(isTold: true), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        loop.advanceTime(by: .milliseconds(900))
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: h\r\n\r\n"))
        let answer = try #require(try channel.readOutbound(as: ByteBuffer.self))
        let text = String(buffer: answer)
        #expect(text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(text.contains("\r\nconnection: close\r\n"))
        #expect(
            text.hasSuffix(
                #"{"code":503,"details":[],"message":"too many connections of this address"}"#))
        #expect(!channel.isActive)
    }

    @Test func whoIsRefusedAndSaysNothingIsClosed() throws {
        let silent = EmbeddedChannel(handler: RefusedConnection(isTold: true), loop: loop)
        try silent.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        #expect(silent.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!silent.isActive)
        let dropped = EmbeddedChannel(handler: RefusedConnection(isTold: false), loop: loop)
        try dropped.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        #expect(!dropped.isActive)
    }
}
