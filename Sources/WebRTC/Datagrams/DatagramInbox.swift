import CSockets
import Glibc
import MediaKernel

/// Datagrams that wait at a socket, many in one call to the kernel.
///
/// For a socket that is read when its owner says so: a channel asks the selector each time, which
/// takes longer than to read.
final class DatagramInbox {
    typealias Call = (CInt, UnsafeMutablePointer<roomcast_message>, UInt32) -> CInt

    /// The most that one call takes.
    let datagramsMaximum: Int
    private let call: Call
    private let bytesMaximum: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    private let addresses: UnsafeMutablePointer<sockaddr_in6>
    private let vectors: UnsafeMutablePointer<iovec>
    private let controls: UnsafeMutablePointer<roomcast_control>
    private let messages: UnsafeMutablePointer<roomcast_message>
    /// The latest datagram's sender in both forms. The next one's is mostly the same.
    private var latest: (raw: [UInt8], source: TransportAddress)?
    /// Which of this machine's addresses the datagram came to that is being handled; nil between them,
    /// and where the kernel does not say.
    private(set) var arrivedAt: LocalAddress?
    private var latestArrival: (ip: [UInt8], address: LocalAddress?)?

    /// - Parameters:
    ///   - datagramsMaximum: the most that one call takes.
    ///   - bytesMaximum: of one datagram; what is longer is cut.
    ///   - call: what receives messages; gives how many, or -1 with `errno`.
    init(
        datagramsMaximum: Int, bytesMaximum: Int,
        call: @escaping Call = roomcast_receive_messages
    ) {
        self.datagramsMaximum = datagramsMaximum
        self.bytesMaximum = bytesMaximum
        self.call = call
        bytes = .allocate(capacity: datagramsMaximum * bytesMaximum)
        addresses = .allocate(capacity: datagramsMaximum)
        vectors = .allocate(capacity: datagramsMaximum)
        controls = .allocate(capacity: datagramsMaximum)
        messages = .allocate(capacity: datagramsMaximum)
        addresses.initialize(repeating: sockaddr_in6(), count: datagramsMaximum)
        controls.initialize(repeating: roomcast_control(), count: datagramsMaximum)
        messages.initialize(repeating: roomcast_message(), count: datagramsMaximum)
        for index in 0..<datagramsMaximum {
            (vectors + index).initialize(
                to: iovec(iov_base: bytes + index * bytesMaximum, iov_len: bytesMaximum))
            messages[index].header.msg_name = UnsafeMutableRawPointer(addresses + index)
            messages[index].header.msg_iov = vectors + index
            messages[index].header.msg_iovlen = 1
        }
    }

    deinit {
        bytes.deallocate()
        addresses.deallocate()
        vectors.deallocate()
        controls.deallocate()
        messages.deallocate()
    }

    /// Takes what waits, at most `datagramsMaximum`, and gives how many: with that many, more may
    /// wait.
    func receive(from socket: CInt, each: (consuming [UInt8], TransportAddress) -> Void) -> Int {
        for index in 0..<datagramsMaximum {
            messages[index].header.msg_namelen = socklen_t(MemoryLayout<sockaddr_in6>.size)
            roomcast_expect_control(messages + index, controls + index)
        }
        var count = call(socket, messages, UInt32(datagramsMaximum))
        while count < 0, errno == EINTR {
            count = call(socket, messages, UInt32(datagramsMaximum))
        }
        guard count > 0 else { return 0 }
        for index in 0..<Int(count) {
            guard let source = source(index) else { continue }
            let length = min(Int(messages[index].length), bytesMaximum)
            let start = bytes + index * bytesMaximum
            arrivedAt = arrival(index)
            each(Array(UnsafeBufferPointer(start: start, count: length)), source)
        }
        arrivedAt = nil
        return Int(count)
    }

    private func arrival(_ index: Int) -> LocalAddress? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let start = room.baseAddress else { return nil }
            let count = Int(roomcast_arrival(messages + index, start))
            guard count > 0 else { return nil }
            let ip = room.prefix(count)
            if let latestArrival, ip.elementsEqual(latestArrival.ip) {
                return latestArrival.address
            }
            let address = LocalAddress(ip: Array(ip))
            latestArrival = (Array(ip), address)
            return address
        }
    }

    private func source(_ index: Int) -> TransportAddress? {
        let count = min(
            Int(messages[index].header.msg_namelen), MemoryLayout<sockaddr_in6>.size)
        let raw = UnsafeRawBufferPointer(start: addresses + index, count: count)
        if let latest, raw.elementsEqual(latest.raw) { return latest.source }
        guard let source = TransportAddress(socketAddress: raw) else { return nil }
        latest = (Array(raw), source)
        return source
    }
}
