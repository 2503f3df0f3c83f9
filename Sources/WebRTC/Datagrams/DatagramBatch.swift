import CSockets
import Glibc
import MediaKernel

/// Datagrams that go to the kernel in one call, copied one behind the other.
///
/// A room of a hundred sends tens of thousands in a second: through a channel's pipeline, one by
/// one, each cost as much again as it took to build it. What goes to one address in datagrams of
/// one size, as the packets of a picture mostly do, the kernel gets as one message and cuts up
/// itself: half of its cost is for finding the way.
final class DatagramBatch {
    typealias Call = (CInt, UnsafeMutablePointer<roomcast_message>, UInt32) -> CInt

    /// What takes a datagram that the kernel had no room for.
    typealias Rest = ([UInt8], TransportAddress, LocalAddress?) -> Void

    static let datagramsMaximum = 512
    static let bytesMaximum = 512 << 10
    /// Of one message, by the kernel's own limits: UDP_MAX_SEGMENTS, and what an IP packet holds.
    static let segmentsMaximum = 64
    static let messageBytesMaximum = 60_000
    /// Datagrams that go to an address each as its own message before it is tried again, once
    /// the kernel did not cut up one to it, by its link or for their size.
    static let wholeDatagrams: UInt16 = 4096
    /// Of the slots of `latest`, at most half of which are taken.
    private static let slotBits = 10
    private static let slotCount = 1 << slotBits

    /// One or more datagrams to one address.
    private struct Message {
        var count = 1
        var byteCount: Int
        /// Bytes of each datagram but the last one.
        let segmentBytes: Int
        /// Where it leaves from; nil for whichever address the kernel chooses.
        let source: LocalAddress?
        /// A shorter datagram has ended it.
        var isClosed = false
    }

    private struct Datagram {
        var offset: Int
        var count: Int
        var message: Int
    }

    private let call: Call
    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: bytesMaximum)
    private var byteCount = 0
    private var datagrams: [Datagram] = []
    private var outgoing: [Message] = []
    /// The latest message to each address, by a hash of it: places in `outgoing`, from one.
    private var latest = [UInt16](repeating: 0, count: slotCount)
    /// How many are still to go to an address each as its own message, by a hash of it alone: that
    /// of another with the same is no harm.
    private var whole = [UInt16](repeating: 0, count: slotCount)
    /// Room for either family's; the first so many are those of `outgoing`.
    private let addresses = UnsafeMutablePointer<sockaddr_in6>.allocate(capacity: datagramsMaximum)
    private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: datagramsMaximum)
    private let controls = UnsafeMutablePointer<roomcast_control>.allocate(
        capacity: datagramsMaximum)
    private let messages = UnsafeMutablePointer<roomcast_message>.allocate(
        capacity: datagramsMaximum)

    /// - Parameter call: what sends messages; gives how many were taken, or -1 with `errno`.
    init(call: @escaping Call = roomcast_send_messages) {
        self.call = call
        vectors.initialize(repeating: iovec(), count: Self.datagramsMaximum)
        addresses.initialize(repeating: sockaddr_in6(), count: Self.datagramsMaximum)
        controls.initialize(repeating: roomcast_control(), count: Self.datagramsMaximum)
        messages.initialize(repeating: roomcast_message(), count: Self.datagramsMaximum)
        for index in 0..<Self.datagramsMaximum {
            messages[index].header.msg_name = UnsafeMutableRawPointer(addresses + index)
        }
    }

    deinit {
        bytes.deallocate()
        addresses.deallocate()
        vectors.deallocate()
        controls.deallocate()
        messages.deallocate()
    }

    var isEmpty: Bool { datagrams.isEmpty }

    func removeAll() {
        guard !isEmpty else { return }
        datagrams.removeAll(keepingCapacity: true)
        outgoing.removeAll(keepingCapacity: true)
        byteCount = 0
        latest.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }

    /// Gives false when there is no room: the kernel must take what is here first.
    func append(
        _ datagram: [UInt8], to address: TransportAddress, from source: LocalAddress? = nil
    ) -> Bool {
        guard datagrams.count < Self.datagramsMaximum,
            byteCount + datagram.count <= Self.bytesMaximum
        else { return false }
        datagram.withUnsafeBufferPointer { datagram in
            guard let start = datagram.baseAddress else { return }
            (bytes + byteCount).update(from: start, count: datagram.count)
        }
        let message = message(for: datagram.count, to: address, from: source)
        datagrams.append(Datagram(offset: byteCount, count: datagram.count, message: message))
        byteCount += datagram.count
        return true
    }

    /// The message that a datagram goes into: the latest one to its address, or a new one.
    private func message(
        for count: Int, to address: TransportAddress, from source: LocalAddress?
    ) -> Int {
        let new = outgoing.count
        let length = Self.write(address, to: addresses + new)
        var slot = Self.hash(addresses + new)
        let isWhole = whole[slot] > 0
        if isWhole { whole[slot] -= 1 }
        while latest[slot] != 0 {
            let known = Int(latest[slot]) - 1
            if memcmp(addresses + known, addresses + new, Int(length)) == 0 {
                if !isWhole, outgoing[known].source == source,
                    Self.extend(&outgoing[known], by: count)
                {
                    return known
                }
                break
            }
            slot = (slot + 1) % Self.slotCount
        }
        latest[slot] = UInt16(new + 1)
        messages[new].header.msg_namelen = length
        outgoing.append(Message(byteCount: count, segmentBytes: count, source: source))
        return new
    }

    private static func extend(_ message: inout Message, by count: Int) -> Bool {
        guard !message.isClosed, count > 0, count <= message.segmentBytes,
            message.count < segmentsMaximum,
            message.byteCount + count <= messageBytesMaximum
        else { return false }
        message.count += 1
        message.byteCount += count
        message.isClosed = count < message.segmentBytes
        return true
    }

    /// Hands all to the kernel. What it has no room for now goes to `rest`, in order for each
    /// address.
    func send(over socket: CInt, rest: Rest) {
        guard !isEmpty else { return }
        arrange()
        var first = 0
        while first < outgoing.count {
            let taken = call(socket, messages + first, UInt32(outgoing.count - first))
            if taken > 0 {
                first += Int(taken)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                for index in first..<outgoing.count { giveBack(index, to: rest) }
                first = outgoing.count
            default:
                // An error of one address says nothing about the others; and what cannot be cut up
                // on its way, for its size or by its link, may go as it is.
                let isFull =
                    outgoing[first].count > 1 && !sendSingly(first, over: socket, rest: rest)
                first += 1
                if isFull {
                    for index in first..<outgoing.count { giveBack(index, to: rest) }
                    first = outgoing.count
                }
            }
        }
        removeAll()
    }

    /// Puts together what belongs to each message.
    private func arrange() {
        var place = 0
        for index in outgoing.indices {
            messages[index].header.msg_iov = vectors + place
            messages[index].header.msg_iovlen = 0
            setControl(
                of: messages + index, at: index, isSegmented: outgoing[index].count > 1)
            place += outgoing[index].count
        }
        for datagram in datagrams {
            let length = messages[datagram.message].header.msg_iovlen
            messages[datagram.message].header.msg_iov[length] = iovec(
                iov_base: UnsafeMutableRawPointer(bytes + datagram.offset), iov_len: datagram.count)
            messages[datagram.message].header.msg_iovlen = length + 1
        }
    }

    private func setControl(
        of message: UnsafeMutablePointer<roomcast_message>, at index: Int, isSegmented: Bool
    ) {
        let source = outgoing[index].source
        withUnsafeBytes(of: source?.bytes ?? (0, 0)) { bytes in
            roomcast_set_control(
                message, controls + index,
                isSegmented ? UInt16(outgoing[index].segmentBytes) : 0, bytes.baseAddress,
                source?.byteCount ?? 0)
        }
    }

    /// Gives false when the kernel has no room for all of them.
    private func sendSingly(
        _ index: Int, over socket: CInt, rest: Rest
    ) -> Bool {
        var single = messages[index]
        setControl(of: &single, at: index, isSegmented: false)
        single.header.msg_iovlen = 1
        for place in 0..<outgoing[index].count {
            single.header.msg_iov = messages[index].header.msg_iov + place
            var taken = call(socket, &single, 1)
            while taken <= 0, errno == EINTR { taken = call(socket, &single, 1) }
            if taken > 0 {
                // So it was that they came together which was refused.
                whole[Self.hash(addresses + index)] = Self.wholeDatagrams
            } else if errno == EAGAIN {
                giveBack(index, from: place, to: rest)
                return false
            }
        }
        return true
    }

    private func giveBack(
        _ index: Int, from first: Int = 0, to rest: Rest
    ) {
        let header = messages[index].header
        for place in first..<outgoing[index].count {
            rest(
                Self.bytes(of: header.msg_iov[place]), address(index), outgoing[index].source)
        }
    }

    private static func bytes(of vector: iovec) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len))
    }

    private func address(_ index: Int) -> TransportAddress {
        let raw = UnsafeRawBufferPointer(
            start: addresses + index, count: MemoryLayout<sockaddr_in6>.size)
        return TransportAddress(socketAddress: raw) ?? TransportAddress(ipv4: 0, 0, 0, 0, port: 0)
    }

    private static func write(
        _ address: TransportAddress, to place: UnsafeMutablePointer<sockaddr_in6>
    ) -> socklen_t {
        let raw = UnsafeMutableRawPointer(place)
        let isIPv6 = address.isIPv6
        raw.storeBytes(
            of: sa_family_t(isIPv6 ? AF_INET6 : AF_INET), toByteOffset: 0, as: sa_family_t.self)
        raw.storeBytes(of: address.port.bigEndian, toByteOffset: 2, as: UInt16.self)
        // What follows the address in `sockaddr_in`, or stands before it in `sockaddr_in6`.
        raw.storeBytes(of: 0, toByteOffset: isIPv6 ? 4 : 8, as: UInt32.self)
        raw.storeBytes(of: 0, toByteOffset: isIPv6 ? 24 : 12, as: UInt32.self)
        address.withIP { ip in
            guard let start = ip.baseAddress else { return }
            (raw + (isIPv6 ? 8 : 4)).copyMemory(from: start, byteCount: ip.count)
        }
        return socklen_t(
            isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    }

    /// Where to begin to look in `latest`.
    private static func hash(_ address: UnsafeMutablePointer<sockaddr_in6>) -> Int {
        let raw = UnsafeRawPointer(address)
        var hash = raw.loadUnaligned(as: UInt64.self)
        if address.pointee.sin6_family == sa_family_t(AF_INET6) {
            hash ^= raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            hash ^= raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        }
        // Fibonacci hashing: ports and addresses often differ in a few bits only, all of which
        // reach the upper ones.
        return Int((hash &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - slotBits))
    }
}
