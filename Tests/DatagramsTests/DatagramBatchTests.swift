import CSockets
import Glibc
import MediaKernel
import Testing

@testable import Datagrams

@Suite("A batch of datagrams")
struct DatagramBatchTests {
    /// A kernel that accepts and records what it is given.
    private final class Kernel {
        /// The result of each call; further calls accept all messages.
        var results: [Result] = []
        private(set) var messages: [Message] = []

        enum Result {
            case takes(Int)
            case fails(CInt)
        }

        var taken: [[UInt8]] { messages.flatMap(\.datagrams) }

        func call(
            _: CInt, _ messages: UnsafeMutablePointer<roomcast_message>, _ count: UInt32
        ) -> CInt {
            let result = results.isEmpty ? .takes(Int(count)) : results.removeFirst()
            switch result {
            case .fails(let code):
                errno = code
                return -1
            case .takes(let number):
                for index in 0..<number { self.messages.append(Message(messages[index].header)) }
                return CInt(number)
            }
        }
    }

    /// The datagrams that one message becomes.
    private struct Message: Equatable {
        var datagrams: [[UInt8]]
        var address: [UInt8]

        init(_ datagrams: [[UInt8]], address: [UInt8]) {
            self.datagrams = datagrams
            self.address = address
        }

        init(_ header: msghdr) {
            var bytes: [UInt8] = []
            for index in 0..<Int(header.msg_iovlen) {
                bytes += UnsafeRawBufferPointer(
                    start: header.msg_iov[index].iov_base, count: header.msg_iov[index].iov_len)
            }
            address = Array(
                UnsafeRawBufferPointer(start: header.msg_name, count: Int(header.msg_namelen)))
            guard let control = header.msg_control else {
                datagrams = [bytes]
                return
            }
            // After length, level and type; messages from a named address must not be segmented.
            guard control.load(fromByteOffset: 8, as: CInt.self) == CInt(IPPROTO_UDP) else {
                datagrams = [bytes]
                return
            }
            let segment = Int(control.load(fromByteOffset: 16, as: UInt16.self))
            datagrams = stride(from: 0, to: bytes.count, by: segment).map { start in
                Array(bytes[start..<min(start + segment, bytes.count)])
            }
        }
    }

    private let kernel = Kernel()
    private let four = TransportAddress(ipv4: 192, 0, 2, 7, port: 0x1234)
    private let six = TransportAddress("2001:db8::9", port: 443)!

    /// `sockaddr_in` and `sockaddr_in6` written by hand.
    private let fourBytes: [UInt8] =
        [2, 0, 0x12, 0x34, 192, 0, 2, 7] + Array(repeating: 0, count: 8)
    private let sixBytes: [UInt8] =
        [10, 0, 1, 187, 0, 0, 0, 0, 0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11)
        + [9, 0, 0, 0, 0]

    private func send(_ batch: DatagramBatch) -> [(bytes: [UInt8], address: TransportAddress)] {
        var rest: [(bytes: [UInt8], address: TransportAddress)] = []
        batch.send(over: 3) { bytes, address, _ in rest.append((bytes, address)) }
        return rest
    }

    /// A datagram of `count` bytes, identified by the first.
    private func datagram(_ number: Int, _ count: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number)] + Array(repeating: 0xFF, count: count - 1)
    }

    private func address(_ number: Int) -> TransportAddress {
        TransportAddress(ipv4: 10, 0, 0, UInt8(number), port: UInt16(5000 + number))
    }

    @Test("What leaves from another address is another message")
    func sources() throws {
        let batch = DatagramBatch(call: kernel.call)
        let home = try #require(LocalAddress(TransportAddress(ipv4: 192, 0, 2, 1, port: 0)))
        let away = try #require(LocalAddress(TransportAddress(ipv4: 192, 0, 2, 2, port: 0)))
        for source in [home, home, away, nil] {
            #expect(batch.append([1, 2], to: four, from: source))
        }
        #expect(send(batch).isEmpty)
        #expect(kernel.messages.count == 3)
        #expect(LocalAddress(TransportAddress(ipv4: 0, 0, 0, 0, port: 7)) == nil)
        #expect(try LocalAddress(#require(TransportAddress("fe80::1", port: 7))) == nil)
    }

    @Test("Both families go out in one call")
    func families() {
        let batch = DatagramBatch(call: kernel.call)
        #expect(batch.append([1, 2, 3], to: four))
        #expect(batch.append([], to: six))
        #expect(batch.append([4], to: six))
        #expect(send(batch).isEmpty)
        #expect(
            kernel.messages == [
                Message([[1, 2, 3]], address: fourBytes), Message([[]], address: sixBytes),
                Message([[4]], address: sixBytes),
            ])
        // A slot that held the longer address can hold the shorter one afterwards.
        for (number, address) in [(UInt8(5), six), (6, four), (7, six)] {
            #expect(batch.append([number], to: address))
        }
        #expect(send(batch).isEmpty)
        #expect(
            kernel.messages.suffix(2) == [
                Message([[5], [7]], address: sixBytes), Message([[6]], address: fourBytes),
            ])
    }

    @Test("Datagrams of one size to one address are one message, which a shorter one ends")
    func segments() {
        let batch = DatagramBatch(call: kernel.call)
        let sizes = [100, 100, 60, 60, 60, 61, 61]
        for (number, size) in sizes.enumerated() {
            #expect(batch.append(datagram(number, size), to: four))
            // Other datagrams between them make no difference.
            #expect(batch.append([UInt8(number)], to: address(number)))
        }
        #expect(send(batch).isEmpty)
        let own = kernel.messages.filter { $0.address == fourBytes }
        #expect(own.map { $0.datagrams.map(\.count) } == [[100, 100, 60], [60, 60], [61, 61]])
        #expect(own.flatMap(\.datagrams).map { $0[0] } == [0, 1, 2, 3, 4, 5, 6])
        #expect(kernel.messages.count == 3 + sizes.count)
    }

    @Test("A message has no more datagrams and bytes than the kernel cuts up")
    func segmentLimits() {
        let batch = DatagramBatch(call: kernel.call)
        for number in 0..<130 { #expect(batch.append(datagram(number, 2), to: four)) }
        for number in 0..<50 { #expect(batch.append(datagram(number, 1400), to: six)) }
        #expect(send(batch).isEmpty)
        #expect(kernel.messages.map(\.datagrams.count) == [64, 64, 2, 42, 8])
        #expect(kernel.taken.map { Int($0[0]) } == Array(0..<130) + Array(0..<50))
    }

    @Test("Each of many gets its own, in order")
    func many() {
        let batch = DatagramBatch(call: kernel.call)
        for number in 0..<3 {
            for peer in 0..<170 {
                #expect(batch.append([UInt8(number), UInt8(peer)], to: address(peer)))
            }
        }
        #expect(send(batch).isEmpty)
        #expect(kernel.messages.count == 170)
        for (peer, message) in kernel.messages.enumerated() {
            #expect(message.datagrams == (0..<3).map { [$0, UInt8(peer)] })
            #expect(message.address[7] == UInt8(peer))
        }
    }

    @Test("What the kernel has no room for now is given back")
    func rest() {
        let batch = DatagramBatch(call: kernel.call)
        for number in 0..<5 {
            #expect(batch.append([UInt8(number)], to: number < 4 ? address(number) : six))
        }
        #expect(batch.append([9], to: six))
        kernel.results = [.takes(2), .takes(1), .fails(EAGAIN)]
        let rest = send(batch)
        #expect(kernel.taken == [[0], [1], [2]])
        #expect(rest.map(\.bytes) == [[3], [4], [9]])
        #expect(rest.map(\.address) == [address(3), six, six])
        #expect(batch.isEmpty)
    }

    @Test(
        "One that cannot be sent is left out, and an interrupted call is made again",
        arguments: [ENETUNREACH, EPERM, ENOBUFS])
    func errors(code: CInt) {
        let batch = DatagramBatch(call: kernel.call)
        for number in 0..<4 { #expect(batch.append([UInt8(number)], to: address(number))) }
        kernel.results = [.takes(1), .fails(EINTR), .fails(code)]
        #expect(send(batch).isEmpty)
        #expect(kernel.taken == [[0], [2], [3]])
    }

    @Test("What the kernel does not cut up goes one by one", arguments: [EINVAL, EIO, EMSGSIZE])
    func singly(code: CInt) {
        let batch = DatagramBatch(call: kernel.call)
        for number in 0..<4 { #expect(batch.append([UInt8(number)], to: number < 3 ? four : six)) }
        kernel.results = [.fails(code), .takes(1), .fails(EINTR), .takes(1), .fails(EAGAIN)]
        let rest = send(batch)
        #expect(kernel.taken == [[0], [1]])
        #expect(kernel.messages.map(\.datagrams.count) == [1, 1])
        // No datagram overtakes waiting ones.
        #expect(rest.map(\.bytes) == [[2], [3]])
    }

    @Test("Where the kernel did not cut up a message it is not tried again for a while")
    func whole() {
        let batch = DatagramBatch(call: kernel.call)
        func send(_ numbers: Range<Int>, to address: TransportAddress) {
            for number in numbers { #expect(batch.append([UInt8(number)], to: address)) }
            #expect(self.send(batch).isEmpty)
        }
        kernel.results = [.fails(EIO)]
        send(0..<3, to: four)
        #expect(kernel.taken == [[0], [1], [2]])
        send(0..<3, to: four)
        send(3..<5, to: six)
        #expect(
            kernel.messages.suffix(4).map(\.datagrams) == [[[0]], [[1]], [[2]], [[3], [4]]])
        var left = Int(DatagramBatch.wholeDatagrams) - 3
        while left > 0 {
            send(0..<min(left, 100), to: four)
            left -= min(left, 100)
        }
        send(0..<2, to: four)
        #expect(kernel.messages.last?.datagrams == [[0], [1]])
    }

    @Test("An address that cannot be reached says nothing about what the kernel cuts up")
    func unreachable() {
        let batch = DatagramBatch(call: kernel.call)
        for number in 0..<2 { #expect(batch.append([UInt8(number)], to: four)) }
        kernel.results = [.fails(ENETUNREACH), .fails(ENETUNREACH), .fails(ENETUNREACH)]
        #expect(send(batch).isEmpty)
        for number in 2..<4 { #expect(batch.append([UInt8(number)], to: four)) }
        #expect(send(batch).isEmpty)
        #expect(kernel.messages.map(\.datagrams) == [[[2], [3]]])
    }

    @Test("It is full after so many datagrams or bytes, and empty once they are sent")
    func limits() {
        let batch = DatagramBatch(call: kernel.call)
        for _ in 0..<DatagramBatch.datagramsMaximum { #expect(batch.append([7], to: four)) }
        #expect(!batch.append([8], to: four))
        _ = send(batch)
        let half = [UInt8](repeating: 1, count: DatagramBatch.bytesMaximum / 2)
        #expect(batch.append(half, to: four))
        #expect(batch.append(half, to: four))
        #expect(!batch.append([9], to: four))
        _ = send(batch)
        #expect(batch.append([9], to: four))
    }
}
