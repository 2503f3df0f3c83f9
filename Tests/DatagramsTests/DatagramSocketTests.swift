import Foundation
import MediaKernel
import NIOCore
import NIOPosix
import Testing

@testable import Datagrams

@Suite(.timeLimit(.minutes(5))) struct DatagramSocketTests {
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

    /// The receiver may change a datagram in place, so it must be the only owner.
    @Test(arguments: [true, false])
    func aDatagramBelongsToWhoeverReceivesIt(readsByItself: Bool) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let places = loop.makePromise(of: [UInt].self)
        let a = try await DatagramSocket.bind(
            host: "127.0.0.1", port: 0, on: loop, readsByItself: readsByItself
        ) {
            .init(
                received: { (bytes: consuming [UInt8], _) in
                    func place() -> UInt {
                        bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                    }
                    let before = place()
                    bytes[0] = 9
                    places.succeed([before, place()])
                }, batchEnded: {})
        }.get()
        try await loop.submit {
            a.value.send([1, 2, 3], to: a.value.localAddress)
            a.value.flush()
            if !readsByItself { a.value.read() }
        }.get()
        let found = try await places.futureResult.get()
        #expect(found[0] == found[1])
        try await loop.submit { a.value.close() }.get()
        try await group.shutdownGracefully()
    }

    /// A separate network namespace, as in containers, does not show the limit.
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
        // Whole pictures, with other datagrams between them. For four sockets this exceeds a batch;
        // for each it is less than Debian's kernel keeps while the loop does not read.
        let sent =
            [1200, 1200, 1200, 800, 40, 1200, 1200].map { [UInt8](repeating: 3, count: $0) }
            + (0..<150).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        try #require(4 * sent.count > DatagramBatch.datagramsMaximum)
        let received = NIOLoopBoundBox.makeBoxSendingValue(
            [[[UInt8]]](repeating: [], count: 4), eventLoop: loop)
        let all = loop.makePromise(of: Void.self)
        var receivers: [NIOLoopBound<DatagramSocket>] = []
        for place in 0..<4 {
            receivers.append(
                try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
                    .init(
                        received: { bytes, _ in
                            received.value[place].append(bytes)
                            if received.value.allSatisfy({ $0.count == sent.count }) {
                                all.succeed()
                            }
                        }, batchEnded: {})
                }.get())
        }
        let b = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
            .init(received: { _, _ in }, batchEnded: {})
        }.get()
        try await loop.submit { [receivers] in
            let addresses = receivers.map(\.value.localAddress)
            for datagram in sent {
                for address in addresses { b.value.send(datagram, to: address) }
            }
            b.value.flush()
        }.get()
        let deadline = loop.scheduleTask(in: .seconds(30)) { all.fail(ChannelError.alreadyClosed) }
        try await all.futureResult.get()
        deadline.cancel()
        let isSame = try await loop.submit { received.value.allSatisfy { $0 == sent } }.get()
        #expect(isSame)
        try await loop.submit { [receivers] in
            for receiver in receivers { receiver.value.close() }
            b.value.close()
            // The receiver is gone, which does no harm.
            b.value.send([1], to: receivers[0].value.localAddress)
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
        // It was sent last, so the others are waiting.
        try await passed.futureResult.get()
        #expect(try await loop.submit { received.value }.get() == 0)
        let counts = try await loop.submit {
            // The second read finds nothing.
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

    /// No matter which of the sockets says so, and where the datagrams come from.
    @Test func whatComesToASharedPortIsGivenToOneOfItsSocketsWhereSaidSo() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let counts = NIOLoopBoundBox.makeBoxSendingValue([0, 0, 0], eventLoop: loop)
        let heard = NIOLoopBoundBox.makeBoxSendingValue(
            nil as EventLoopPromise<Void>?, eventLoop: loop)
        var sockets: [NIOLoopBound<DatagramSocket>] = []
        var port = 0
        for place in 0..<3 {
            let socket = try await DatagramSocket.bind(
                host: "127.0.0.1", port: port, on: loop, joinsOthers: place > 0
            ) {
                .init(
                    received: { _, _ in
                        counts.value[place] += 1
                        if counts.value.reduce(0, +) == 40 { heard.value?.succeed() }
                    }, batchEnded: {})
            }.get()
            sockets.append(socket)
            guard place == 0 else { continue }
            port = try await loop.submit { Int(socket.value.localAddress.port) }.get()
            try await loop.flatSubmit { socket.value.share() }.get()
        }
        var senders: [NIOLoopBound<DatagramSocket>] = []
        for _ in 0..<40 {
            senders.append(
                try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
                    .init(received: { _, _ in }, batchEnded: {})
                }.get())
        }
        for (by, place) in [(0, 2), (2, 0), (1, 1), (0, nil)] as [(Int, Int?)] {
            let all = try await loop.submit { [sockets, senders] in
                let promise = loop.makePromise(of: Void.self)
                counts.value = [0, 0, 0]
                heard.value = promise
                #expect(sockets[by].value.steer(to: place) == nil)
                for sender in senders {
                    sender.value.send([1], to: sockets[0].value.localAddress)
                    sender.value.flush()
                }
                return promise.futureResult
            }.get()
            try await all.get()
            let result = try await loop.submit { counts.value }.get()
            if let place {
                #expect(result[place] == 40)
            } else {
                #expect(result.allSatisfy { $0 < 40 })
            }
        }
        try await loop.submit { [sockets, senders] in
            for socket in sockets + senders { socket.value.close() }
        }.get()
        try await group.shutdownGracefully()
    }

    /// With a batch that the kernel segments.
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

    /// One by one and, for equal sizes, as one message that the kernel segments.
    @Test(arguments: [
        ("0.0.0.0", "127.0.0.2", "127.0.0.1"), ("0.0.0.0", "127.0.0.1", "127.0.0.1"),
        ("::", "127.0.0.3", "127.0.0.1"), ("::", "::1", "::1"),
    ])
    func anAnswerLeavesFromWhereItWasAsked(
        bound: String, asked: String, asking: String
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let box = NIOLoopBoundBox.makeBoxSendingValue(
            nil as NIOLoopBound<DatagramSocket>?, eventLoop: loop)
        let sources = NIOLoopBoundBox.makeBoxSendingValue([TransportAddress](), eventLoop: loop)
        let all = loop.makePromise(of: Void.self)
        let server = try await DatagramSocket.bind(host: bound, port: 0, on: loop) {
            .init(
                received: { bytes, source in
                    guard let socket = box.value?.value else { return }
                    for _ in 0..<3 { socket.send(bytes, to: source, from: socket.arrivedAt) }
                    socket.send([1], to: source, from: socket.arrivedAt)
                    socket.flush()
                }, batchEnded: {})
        }.get()
        let client = try await DatagramSocket.bind(host: asking, port: 0, on: loop) {
            .init(
                received: { _, source in
                    sources.value.append(source)
                    if sources.value.count == 4 { all.succeed() }
                }, batchEnded: {})
        }.get()
        let address = try await loop.submit {
            box.value = server
            let address = TransportAddress(asked, port: server.value.localAddress.port)
            if let address { client.value.send([1, 2, 3], to: address) }
            client.value.flush()
            return address
        }.get()
        let deadline = loop.scheduleTask(in: .seconds(30)) { all.fail(ChannelError.alreadyClosed) }
        try await all.futureResult.get()
        deadline.cancel()
        let found = try await loop.submit { Set(sources.value) }.get()
        #expect(found == Set([address].compactMap { $0 }))
        try await loop.submit {
            server.value.close()
            client.value.close()
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
