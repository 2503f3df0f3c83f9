import Foundation
import MediaKernel
import NIOCore
import NIOPosix
import Testing

@testable import Datagrams

@Suite struct DatagramSocketTests {
    @Test func carriesDatagramsBetweenTwoSocketsOnLoopback() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let arrived = loop.makePromise(of: [UInt8].self)
        let a = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
            .init(received: { bytes, _ in arrived.succeed(bytes) }, batchEnded: {})
        }.get()
        let b = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
            .init(received: { _, _ in }, batchEnded: {})
        }.get()
        try await loop.submit {
            b.value.send([1, 2, 3], to: a.value.localAddress)
            b.value.flush()
        }.get()
        #expect(try await arrived.futureResult.get() == [1, 2, 3])
        try await loop.submit {
            a.value.close()
            b.value.close()
        }.get()
        try await group.shutdownGracefully()
    }

    /// A network namespace of its own, as containers have, does not show the limit.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/sys/net/core/rmem_max")))
    func whatTheKernelGaveToReceiveIntoIsKnown() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let socket = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: group.next()) {
            .init(received: { _, _ in }, batchEnded: {})
        }.get()
        let (bytes, shortage) = try await socket.eventLoop.submit {
            defer { socket.value.close() }
            return (socket.value.receiveBufferBytes, socket.value.receiveBufferShortage)
        }.get()
        let text = try String(contentsOfFile: "/proc/sys/net/core/rmem_max", encoding: .utf8)
        let most = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(bytes == min(DatagramSocket.kernelBufferBytes, most))
        #expect((shortage == nil) == (most >= DatagramSocket.kernelBufferBytes))
        try await group.shutdownGracefully()
    }

    @Test func theKernelCutsUpWhatWasPutTogether() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        // Whole pictures, between them something else, and more than a batch holds.
        let sent =
            [1200, 1200, 1200, 800, 40, 1200, 1200].map { [UInt8](repeating: 3, count: $0) }
            + (0..<1500).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let received = NIOLoopBoundBox.makeBoxSendingValue([[UInt8]](), eventLoop: loop)
        let all = loop.makePromise(of: Void.self)
        let a = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
            .init(
                received: { bytes, _ in
                    received.value.append(bytes)
                    if received.value.count == sent.count { all.succeed() }
                }, batchEnded: {})
        }.get()
        let b = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
            .init(received: { _, _ in }, batchEnded: {})
        }.get()
        try await loop.submit {
            for datagram in sent { b.value.send(datagram, to: a.value.localAddress) }
            b.value.flush()
        }.get()
        try await all.futureResult.get()
        let isSame = try await loop.submit { received.value == sent }.get()
        #expect(isSame)
        try await loop.submit {
            a.value.close()
            b.value.close()
            // Nobody is there any more, which harms nobody.
            b.value.send([1], to: a.value.localAddress)
            b.value.flush()
        }.get()
        try await group.shutdownGracefully()
    }

    @Test func letsDatagramsWaitUntilItIsToldToRead() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let received = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: loop)
        let batches = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: loop)
        let patient = try await DatagramSocket.bind(
            host: "127.0.0.1", port: 0, on: loop, readsByItself: false
        ) {
            .init(received: { _, _ in received.value += 1 }, batchEnded: { batches.value += 1 })
        }.get()
        let passed = loop.makePromise(of: Void.self)
        let eager = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
            .init(received: { _, _ in passed.succeed() }, batchEnded: {})
        }.get()
        try await loop.submit {
            for _ in 0..<100 { eager.value.send([1], to: patient.value.localAddress) }
            eager.value.send([2], to: eager.value.localAddress)
            eager.value.flush()
        }.get()
        // It was sent last, so the others wait.
        try await passed.futureResult.get()
        #expect(try await loop.submit { received.value }.get() == 0)
        let counts = try await loop.submit {
            // The second one finds nothing.
            patient.value.read()
            patient.value.read()
            return [received.value, batches.value]
        }.get()
        #expect(counts == [100, 1])
        try await loop.submit {
            patient.value.close()
            eager.value.close()
            patient.value.read()
        }.get()
        try await group.shutdownGracefully()
    }

    /// With a batch, which the kernel cuts up, and with what the channel sends for want of room.
    @Test func aSocketOfBothFamiliesKnowsIPv4ByItsOwnAddresses() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let sources = NIOLoopBoundBox.makeBoxSendingValue([TransportAddress](), eventLoop: loop)
        let heard = loop.makePromise(of: Void.self)
        let answered = loop.makePromise(of: Void.self)
        let answers = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: loop)
        let both = try await DatagramSocket.bind(host: "::", port: 0, on: loop) {
            .init(
                received: { _, source in
                    sources.value.append(source)
                    if sources.value.count == 2 { heard.succeed() }
                }, batchEnded: {})
        }.get()
        let port = try await loop.submit { both.value.localAddress.port }.get()
        var clients: [NIOLoopBound<DatagramSocket>] = []
        for host in ["127.0.0.1", "::1"] {
            clients.append(
                try await DatagramSocket.bind(host: host, port: 0, on: loop) {
                    .init(
                        received: { _, _ in
                            answers.value += 1
                            if answers.value == 6 { answered.succeed() }
                        }, batchEnded: {})
                }.get())
        }
        let addresses = try await loop.submit { [clients] in
            for (client, host) in zip(clients, ["127.0.0.1", "::1"]) {
                let server = try #require(TransportAddress(host, port: port))
                client.value.send([1], to: server)
                client.value.flush()
            }
            return clients.map(\.value.localAddress)
        }.get()
        try await heard.futureResult.get()
        let known = try await loop.submit {
            for source in sources.value {
                for _ in 0..<3 { both.value.send([2], to: source) }
            }
            both.value.flush()
            return Set(sources.value)
        }.get()
        #expect(known == Set(addresses))
        try await answered.futureResult.get()
        try await loop.submit { [clients] in
            both.value.close()
            for client in clients { client.value.close() }
        }.get()
        try await group.shutdownGracefully()
    }

    @Test func aSocketIsReachedWhereItIsBound() throws {
        let ipv4 = HostAddresses.reaching(TransportAddress(ipv4: 0, 0, 0, 0, port: 7))
        #expect(ipv4.contains(TransportAddress(ipv4: 127, 0, 0, 1, port: 7)))
        #expect(ipv4.allSatisfy { !$0.isIPv6 })
        let bound = try #require(TransportAddress("::", port: 7, transport: .tcp))
        let both = HostAddresses.reaching(bound)
        let loopback = try #require(TransportAddress("::1", port: 7, transport: .tcp))
        #expect(both.contains(TransportAddress(ipv4: 127, 0, 0, 1, port: 7).over(.tcp)))
        #expect(both.contains(loopback))
        let one = TransportAddress(ipv4: 192, 0, 2, 1, port: 7)
        #expect(HostAddresses.reaching(one) == [one])
    }

    @Test func listsLoopbackLast() throws {
        let addresses = HostAddresses.reaching(try #require(TransportAddress("::", port: 0)))
        #expect(addresses.contains(TransportAddress(ipv4: 127, 0, 0, 1, port: 0)))
        let isLoopback = addresses.map(\.isLoopback)
        #expect(isLoopback == isLoopback.filter { !$0 } + isLoopback.filter { $0 })
    }
}
