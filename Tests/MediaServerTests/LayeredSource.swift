import MediaKernel
import RTP

/// A camera in three VP8 layers of 30 pictures per second: 900, 300 and 100 kbit/s, best first.
struct LayeredSource {
    static let kilobits = [900, 300, 100]
    private static let sizes: [(UInt16, UInt16)] = [(1280, 720), (640, 360), (320, 180)]
    private static let packetMaximum = 1000

    /// Whether each layer is sent.
    var isSent = [true, true, true]
    /// Each picture is a key frame of another size.
    var changesSize = false
    private var wantsKeyframe = [true, true, true]
    private var numbers = [0, 0, 0]
    private var picture = 0
    private var next: Instant?

    mutating func requestKeyframe(of encoding: Int) { wantsKeyframe[encoding] = true }

    mutating func due(at now: Instant) -> [(encoding: Int, packet: RTPPacket)] {
        let due = next ?? now
        guard due <= now else { return [] }
        next = due + .nanoseconds(33_333_333)
        picture += 1
        var packets: [(encoding: Int, packet: RTPPacket)] = []
        for encoding in 0..<3 where isSent[encoding] { packets += make(encoding) }
        return packets
    }

    private mutating func make(_ encoding: Int) -> [(encoding: Int, packet: RTPPacket)] {
        let isKey = wantsKeyframe[encoding] || changesSize
        wantsKeyframe[encoding] = false
        var size = Self.sizes[encoding]
        if changesSize { size.0 += UInt16(picture % 2) * 16 }
        var left = Self.kilobits[encoding] * 1000 / 8 / 30
        var isFirst = true
        var packets: [(encoding: Int, packet: RTPPacket)] = []
        while left > 0 {
            let count = min(left, Self.packetMaximum)
            left -= count
            var descriptor = VP8PayloadDescriptor()
            descriptor.startsPartition = isFirst
            var payload = descriptor.serialized()
            if isFirst { payload += Self.header(isKey ? size : nil) }
            payload += Array(repeating: 0, count: max(count - payload.count, 0))
            packets.append(
                (
                    encoding,
                    RTPPacket(
                        marker: left == 0, payloadType: PayloadType(0),
                        sequenceNumber: SequenceNumber(extended: Int64(numbers[encoding])),
                        timestamp: UInt32(truncatingIfNeeded: picture * 3000), ssrc: SSRC(0),
                        payload: payload[...])
                ))
            numbers[encoding] += 1
            isFirst = false
        }
        return packets
    }

    /// The header of a VP8 frame; with a size, that of a key frame. RFC 6386 sect. 9.1.
    private static func header(_ size: (UInt16, UInt16)?) -> [UInt8] {
        guard let (width, height) = size else { return [0x11, 2, 0] }
        return [
            0x10, 2, 0, 0x9D, 0x01, 0x2A, UInt8(width & 255), UInt8(width >> 8),
            UInt8(height & 255), UInt8(height >> 8),
        ]
    }
}
