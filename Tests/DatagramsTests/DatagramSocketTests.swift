import Datagrams
import MediaKernel
import NIOCore
import NIOPosix
import Testing

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

    @Test func listsLoopbackLast() throws {
        let addresses = HostAddresses.all()
        #expect(addresses.contains(TransportAddress(ipv4: 127, 0, 0, 1, port: 0)))
        let isLoopback = addresses.map(\.isLoopback)
        #expect(isLoopback == isLoopback.filter { !$0 } + isLoopback.filter { $0 })
    }
}
