import CSockets
import Glibc
import MediaKernel
import Testing

@testable import Datagrams

@Suite("The inbox of a socket")
struct DatagramInboxTests {
    private typealias Arrival = (bytes: [UInt8], address: [UInt8])

    /// A kernel with waiting datagrams, whose calls may fail first.
    private final class Kernel {
        var arrivals: [Arrival] = []
        var failures: [CInt] = []

        func call(
            _: CInt, _ messages: UnsafeMutablePointer<roomcast_message>, _ count: UInt32
        ) -> CInt {
            if !failures.isEmpty {
                errno = failures.removeFirst()
                return -1
            }
            guard !arrivals.isEmpty else {
                errno = EAGAIN
                return -1
            }
            let taken = arrivals.prefix(Int(count))
            for (index, arrival) in taken.enumerated() {
                let room = messages[index].header.msg_iov[0]
                let length = min(arrival.bytes.count, room.iov_len)
                room.iov_base.copyMemory(from: arrival.bytes, byteCount: length)
                messages[index].length = UInt32(length)
                messages[index].header.msg_name.copyMemory(
                    from: arrival.address, byteCount: arrival.address.count)
                messages[index].header.msg_namelen = socklen_t(arrival.address.count)
            }
            arrivals.removeFirst(taken.count)
            return CInt(taken.count)
        }
    }

    private let kernel = Kernel()

    /// A `sockaddr_in` with this machine's byte order for the family.
    private static func ipv4(_ last: UInt8, port: UInt8) -> [UInt8] {
        [2, 0, 0, port, 127, 0, 0, last] + [UInt8](repeating: 0, count: 8)
    }

    private static func ipv6(_ ip: [UInt8], port: UInt8) -> [UInt8] {
        [10, 0, 0, port, 0, 0, 0, 0] + ip + [0, 0, 0, 0]
    }

    private func inbox(datagramsMaximum: Int = 32, bytesMaximum: Int = 16) -> DatagramInbox {
        DatagramInbox(
            datagramsMaximum: datagramsMaximum, bytesMaximum: bytesMaximum, call: kernel.call)
    }

    private func take(_ inbox: DatagramInbox) -> (count: Int, found: [String]) {
        var found: [String] = []
        let count = inbox.receive(from: 0) { found.append("\($1) \($0)") }
        return (count, found)
    }

    @Test func givesEachDatagramWithItsSender() {
        kernel.arrivals = [
            ([1, 2], Self.ipv4(1, port: 9)), ([], Self.ipv4(1, port: 9)),
            ([3], Self.ipv4(2, port: 9)),
            ([4], Self.ipv6([UInt8](repeating: 0, count: 15) + [1], port: 7)),
            ([5], Self.ipv6([UInt8](repeating: 0, count: 10) + [255, 255, 10, 0, 0, 1], port: 7)),
        ]
        let (count, found) = take(inbox())
        #expect(count == 5)
        #expect(
            found == [
                "127.0.0.1:9 [1, 2]", "127.0.0.1:9 []", "127.0.0.2:9 [3]", "[::1]:7 [4]",
                "10.0.0.1:7 [5]",
            ])
    }

    @Test func saysWhenMoreMayWait() {
        kernel.arrivals = [Arrival](repeating: ([1], Self.ipv4(1, port: 9)), count: 4)
        let inbox = inbox(datagramsMaximum: 3)
        #expect(take(inbox).count == 3)
        #expect(take(inbox).count == 1)
        #expect(take(inbox).count == 0)
    }

    @Test func cutsWhatIsLong() {
        kernel.arrivals = [([UInt8](1...20), Self.ipv4(1, port: 9))]
        #expect(take(inbox(bytesMaximum: 4)).found == ["127.0.0.1:9 [1, 2, 3, 4]"])
    }

    @Test func asksAgainAfterASignalAndHeedsNoOtherError() {
        kernel.arrivals = [([1], Self.ipv4(1, port: 9))]
        kernel.failures = [EINTR, EINTR, ECONNREFUSED]
        let inbox = inbox()
        #expect(take(inbox).count == 0)
        #expect(take(inbox).count == 1)
    }

    @Test func leavesOutWhatHasNoAddress() {
        kernel.arrivals = [([1], []), ([2], [1, 0]), ([3], Self.ipv4(1, port: 9))]
        let (count, found) = take(inbox())
        #expect(count == 3)
        #expect(found == ["127.0.0.1:9 [3]"])
    }
}
