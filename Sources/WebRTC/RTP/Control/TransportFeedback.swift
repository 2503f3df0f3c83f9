import MediaKernel

/// Reports for each packet of a transport when it arrived, or that it did not: the input of a
/// sender's bandwidth estimator. draft-holmer-rmcat-transport-wide-cc-extensions-01 sect. 3.1.
///
/// ```
/// |  base sequence number (16)  |  packet status count (16)  |
/// |  reference time (24, signed, 64 ms)  |  feedback count (8)  |
/// |  packet chunk (16) ...  |  receive delta (8 or 16) ...  |  zeros  |
///
/// run length chunk:     |0| symbol (2) | run length (13) |
/// status vector chunk:  |1|0| 14 symbols of one bit |   or   |1|1| 7 symbols of two bits |
/// ```
/// Symbols: 0 not received, 1 received with a delta of 8 bits, 2 with one of 16 bits, signed.
public struct TransportFeedback: Hashable, Sendable {
    /// The reporter.
    public var sender: SSRC
    /// Any one stream of the transport.
    public var media: SSRC
    /// The transport sequence number of the first status.
    public var baseSequence: UInt16
    /// Multiples of 64 ms on the receiver's clock, 24 bits signed.
    public var referenceTime: Int32
    /// Counts the feedback messages of a transport, modulo 256.
    public var feedbackCount: UInt8
    /// One status per sequence number from the base: nil for a packet not received, otherwise the
    /// time since the previous received packet (for the first one: since the reference time), in
    /// 250 us.
    public var deltas: [Int16?]

    /// The most statuses in one message, equal to the number of packets that a sender remembers.
    /// Without this limit, a few bytes could claim 65535.
    public static let statusesMaximum = SentPacketLog.packetsMaximum
    static let referenceTimeUnit: Duration = .milliseconds(64)
    static let deltaUnit: Duration = .microseconds(250)

    public init(
        sender: SSRC, media: SSRC, baseSequence: UInt16, referenceTime: Int32,
        feedbackCount: UInt8, deltas: [Int16?]
    ) {
        self.sender = sender
        self.media = media
        self.baseSequence = baseSequence
        self.referenceTime = referenceTime
        self.feedbackCount = feedbackCount
        self.deltas = deltas
    }

    /// Each packet's sequence number with its arrival on the receiver's clock, whose zero is where
    /// the reference time is zero; nil for a packet not received.
    public var arrivals: [(sequence: UInt16, time: Duration?)] {
        var time = Self.referenceTimeUnit * Int(referenceTime)
        return deltas.indices.map { index in
            let sequence = baseSequence &+ UInt16(truncatingIfNeeded: index)
            guard let delta = deltas[index] else { return (sequence, nil) }
            time += Self.deltaUnit * Int(delta)
            return (sequence, time)
        }
    }

    private enum Symbol {
        static let notReceived: UInt16 = 0
        static let smallDelta: UInt16 = 1
        static let largeDelta: UInt16 = 2

        static func of(_ delta: Int16?) -> UInt16 {
            guard let delta else { return notReceived }
            return (0...255).contains(delta) ? smallDelta : largeDelta
        }
    }
}

// MARK: Parsing

extension TransportFeedback {
    /// Parses the bytes after the RTCP header.
    init(parsing body: ArraySlice<UInt8>) throws(RTPError) {
        var reader = ByteReader(body)
        let symbols: [UInt16]
        do throws(TruncatedInput) {
            sender = SSRC(try reader.readUInt32())
            media = SSRC(try reader.readUInt32())
            baseSequence = try reader.readUInt16()
            let count = Int(try reader.readUInt16())
            referenceTime = Int32(bitPattern: try reader.readUInt24() << 8) >> 8
            feedbackCount = try reader.readUInt8()
            symbols = try Self.readSymbols(&reader, count: min(count, Self.statusesMaximum + 1))
        } catch {
            throw RTPError(error)
        }
        guard symbols.count <= Self.statusesMaximum else {
            throw .oversized(count: symbols.count, maximum: Self.statusesMaximum)
        }
        guard !symbols.contains(where: { $0 > Symbol.largeDelta }) else {
            throw .malformedFeedback(
                packetType: RTCPPacket.Kind.transportLayerFeedback,
                format: RTCPPacket.Format.transportFeedback)
        }
        deltas = []
        deltas.reserveCapacity(symbols.count)
        do throws(TruncatedInput) {
            for symbol in symbols { deltas.append(try Self.readDelta(&reader, symbol)) }
        } catch {
            throw RTPError(error)
        }
    }

    private static func readSymbols(
        _ reader: inout ByteReader, count: Int
    ) throws(TruncatedInput) -> [UInt16] {
        var symbols: [UInt16] = []
        while symbols.count < count {
            let chunk = try reader.readUInt16()
            let left = count - symbols.count
            if chunk & 0x8000 == 0 {
                let run = min(Int(chunk & 0x1FFF), left)
                // Each chunk must make progress: with empty runs, a message could be all chunks.
                guard run > 0 else { throw TruncatedInput(needed: left, available: 0) }
                symbols.append(contentsOf: repeatElement(chunk >> 13 & 3, count: run))
            } else if chunk & 0x4000 == 0 {
                for bit in 0..<min(14, left) { symbols.append(chunk >> UInt16(13 - bit) & 1) }
            } else {
                for pair in 0..<min(7, left) { symbols.append(chunk >> UInt16(12 - pair * 2) & 3) }
            }
        }
        return symbols
    }

    private static func readDelta(
        _ reader: inout ByteReader, _ symbol: UInt16
    ) throws(TruncatedInput) -> Int16? {
        switch symbol {
        case Symbol.smallDelta: Int16(try reader.readUInt8())
        case Symbol.largeDelta: Int16(bitPattern: try reader.readUInt16())
        default: nil
        }
    }
}

// MARK: Serialising

extension TransportFeedback {
    func write(into writer: inout ByteWriter) {
        let deltas = deltas.prefix(Self.statusesMaximum)
        writer.write(baseSequence)
        writer.write(UInt16(deltas.count))
        writer.writeUInt24(UInt32(bitPattern: referenceTime) & 0xFF_FFFF)
        writer.write(feedbackCount)
        let symbols = deltas.map(Symbol.of)
        var index = 0
        while index < symbols.count {
            let (chunk, covered) = Self.chunk(for: symbols[index...])
            writer.write(chunk)
            index += covered
        }
        for delta in deltas {
            guard let delta else { continue }
            if Symbol.of(delta) == Symbol.smallDelta {
                writer.write(UInt8(delta))
            } else {
                writer.write(UInt16(bitPattern: delta))
            }
        }
    }

    /// The chunk that covers the most of the remaining symbols.
    private static func chunk(
        for symbols: ArraySlice<UInt16>
    ) -> (chunk: UInt16, covered: Int) {
        let first = symbols[symbols.startIndex]
        let run = min(symbols.prefix { $0 == first }.count, 0x1FFF)
        let hasLarge = symbols.prefix(14).contains(Symbol.largeDelta)
        let vectorCapacity = hasLarge ? 7 : 14
        if run >= min(vectorCapacity, symbols.count) {
            return (first << 13 | UInt16(run), run)
        }
        var chunk: UInt16 = hasLarge ? 0xC000 : 0x8000
        let covered = symbols.prefix(vectorCapacity)
        for (place, symbol) in covered.enumerated() {
            chunk |= symbol << UInt16(hasLarge ? 12 - place * 2 : 13 - place)
        }
        return (chunk, covered.count)
    }
}
