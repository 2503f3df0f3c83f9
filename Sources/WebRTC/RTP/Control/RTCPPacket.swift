import MediaKernel

/// One RTCP packet of a compound packet. RFC 3550 sect. 6, RFC 4585, RFC 5104.
///
/// ```
/// |V=2|P| count or format (5) |  packet type (8)  |  length in 32-bit words - 1 (16)  |
/// ```
public enum RTCPPacket: Hashable, Sendable {
    case senderReport(SenderReport)
    case receiverReport(ReceiverReport)
    case sourceDescription([SourceDescription])
    case bye([SSRC])
    case genericNACK(GenericNACK)
    /// Asks for a key frame because a picture was lost. RFC 4585 sect. 6.3.1.
    case pictureLossIndication(sender: SSRC, media: SSRC)
    case fullIntraRequest(FullIntraRequest)
    case receiverEstimatedMaximumBitrate(ReceiverEstimatedMaximumBitrate)
    case transportFeedback(TransportFeedback)
    /// A kind that we do not use: its type, its count field, and the bytes after the header.
    case unknown(type: UInt8, count: UInt8, bytes: [UInt8])

    /// The most blocks that the header's five bits can count.
    public static let countMaximum = 31
    /// The most packets read from one compound.
    public static let compoundMaximum = 64
    /// The most transport feedback packets in a compound. A receiver writes one per datagram; each
    /// may report on thousands of packets in a few bytes.
    static let transportFeedbackMaximum = 4

    enum Kind {
        static let senderReport: UInt8 = 200
        static let receiverReport: UInt8 = 201
        static let sourceDescription: UInt8 = 202
        static let bye: UInt8 = 203
        static let transportLayerFeedback: UInt8 = 205
        static let payloadSpecificFeedback: UInt8 = 206
    }

    enum Format {
        static let genericNACK: UInt8 = 1
        static let transportFeedback: UInt8 = 15
        static let pictureLossIndication: UInt8 = 1
        static let fullIntraRequest: UInt8 = 4
        static let applicationLayer: UInt8 = 15
    }
}

// MARK: Parsing

extension RTCPPacket {
    /// Parses a decrypted datagram: a compound, or a reduced-size one (RFC 5506).
    ///
    /// A packet of unknown kind becomes `.unknown`; a packet that contradicts itself fails the
    /// whole datagram, since nothing after it can be trusted.
    public static func parseCompound(_ bytes: [UInt8]) throws(RTPError) -> [RTCPPacket] {
        var packets: [RTCPPacket] = []
        var feedbackCount = 0
        var offset = 0
        while offset < bytes.count {
            guard packets.count < compoundMaximum else {
                throw .oversized(count: packets.count + 1, maximum: compoundMaximum)
            }
            guard bytes.count - offset >= 4 else {
                throw .truncated(needed: 4, available: bytes.count - offset)
            }
            let first = bytes[offset]
            guard first >> 6 == 2 else { throw .unsupportedVersion(first >> 6) }
            let length = (Int(bytes.uint16(at: offset + 2)) + 1) * 4
            guard bytes.count - offset >= length else {
                throw .truncated(needed: length, available: bytes.count - offset)
            }
            var end = offset + length
            if first & 0x20 != 0 {
                let padding = Int(bytes[end - 1])
                guard padding > 0, padding <= length - 4 else {
                    throw .invalidPadding(count: padding, available: length - 4)
                }
                end -= padding
            }
            let body = bytes[(offset + 4)..<end]
            let packet = try parse(type: bytes[offset + 1], count: first & 0x1F, body)
            if case .transportFeedback = packet {
                feedbackCount += 1
                guard feedbackCount <= transportFeedbackMaximum else {
                    throw .oversized(count: feedbackCount, maximum: transportFeedbackMaximum)
                }
            }
            packets.append(packet)
            offset += length
        }
        return packets
    }

    private static func parse(
        type: UInt8, count: UInt8, _ body: ArraySlice<UInt8>
    ) throws(RTPError) -> RTCPPacket {
        if type == Kind.transportLayerFeedback, count == Format.transportFeedback {
            return .transportFeedback(try TransportFeedback(parsing: body))
        }
        do throws(TruncatedInput) {
            return try parseBlocks(type: type, count: count, body)
        } catch {
            throw RTPError(error)
        }
    }

    private static func parseBlocks(
        type: UInt8, count: UInt8, _ body: ArraySlice<UInt8>
    ) throws(TruncatedInput) -> RTCPPacket {
        var reader = ByteReader(body)
        switch type {
        case Kind.senderReport:
            return .senderReport(try SenderReport(parsing: &reader, count: Int(count)))
        case Kind.receiverReport:
            return .receiverReport(try ReceiverReport(parsing: &reader, count: Int(count)))
        case Kind.sourceDescription:
            var chunks: [SourceDescription] = []
            for _ in 0..<count { chunks.append(try SourceDescription(parsing: &reader)) }
            return .sourceDescription(chunks)
        case Kind.bye:
            var sources: [SSRC] = []
            for _ in 0..<count { sources.append(SSRC(try reader.readUInt32())) }
            return .bye(sources)
        case Kind.transportLayerFeedback, Kind.payloadSpecificFeedback:
            return try parseFeedback(type: type, format: count, body)
        default:
            return .unknown(type: type, count: count, bytes: Array(body))
        }
    }

    private static func parseFeedback(
        type: UInt8, format: UInt8, _ body: ArraySlice<UInt8>
    ) throws(TruncatedInput) -> RTCPPacket {
        var reader = ByteReader(body)
        let sender = SSRC(try reader.readUInt32())
        let media = SSRC(try reader.readUInt32())
        switch (type, format) {
        case (Kind.transportLayerFeedback, Format.genericNACK):
            return .genericNACK(
                try GenericNACK(sender: sender, media: media, parsing: &reader))
        case (Kind.payloadSpecificFeedback, Format.pictureLossIndication):
            return .pictureLossIndication(sender: sender, media: media)
        case (Kind.payloadSpecificFeedback, Format.fullIntraRequest):
            return .fullIntraRequest(try FullIntraRequest(sender: sender, parsing: &reader))
        case (Kind.payloadSpecificFeedback, Format.applicationLayer):
            // Other applications share this format; REMB has an identifier inside.
            guard reader.remaining >= 4,
                try reader.readUInt32() == ReceiverEstimatedMaximumBitrate.identifier
            else { break }
            return .receiverEstimatedMaximumBitrate(
                try ReceiverEstimatedMaximumBitrate(sender: sender, parsing: &reader))
        default:
            break
        }
        return .unknown(type: type, count: format, bytes: Array(body))
    }
}

// MARK: Serialising

extension RTCPPacket {
    /// The packets as one datagram, in the order given.
    public static func serialize(_ packets: [RTCPPacket]) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 256)
        for packet in packets { packet.write(into: &writer) }
        return writer.bytes
    }

    private func write(into writer: inout ByteWriter) {
        let start = writer.count
        let (type, count) = typeAndCount
        writer.write(0x80 | count)
        writer.write(type)
        writer.write(UInt16(0))
        writeBody(into: &writer)
        writer.pad(toMultipleOf: 4)
        writer.patch(UInt16(clamping: (writer.count - start) / 4 - 1), at: start + 2)
    }

    private var typeAndCount: (type: UInt8, count: UInt8) {
        func bounded(_ count: Int) -> UInt8 { UInt8(min(count, Self.countMaximum)) }
        return switch self {
        case .senderReport(let report): (Kind.senderReport, bounded(report.reports.count))
        case .receiverReport(let report): (Kind.receiverReport, bounded(report.reports.count))
        case .sourceDescription(let chunks): (Kind.sourceDescription, bounded(chunks.count))
        case .bye(let sources): (Kind.bye, bounded(sources.count))
        case .genericNACK: (Kind.transportLayerFeedback, Format.genericNACK)
        case .transportFeedback: (Kind.transportLayerFeedback, Format.transportFeedback)
        case .pictureLossIndication: (Kind.payloadSpecificFeedback, Format.pictureLossIndication)
        case .fullIntraRequest: (Kind.payloadSpecificFeedback, Format.fullIntraRequest)
        case .receiverEstimatedMaximumBitrate:
            (Kind.payloadSpecificFeedback, Format.applicationLayer)
        case .unknown(let type, let count, _): (type, count & 0x1F)
        }
    }

    private func writeBody(into writer: inout ByteWriter) {
        switch self {
        case .senderReport(let report): report.write(into: &writer)
        case .receiverReport(let report): report.write(into: &writer)
        case .sourceDescription(let chunks):
            for chunk in chunks.prefix(Self.countMaximum) { chunk.write(into: &writer) }
        case .bye(let sources):
            for ssrc in sources.prefix(Self.countMaximum) { writer.write(ssrc.rawValue) }
        case .genericNACK(let nack):
            writeSources(sender: nack.sender, media: nack.media, into: &writer)
            nack.write(into: &writer)
        case .pictureLossIndication(let sender, let media):
            writeSources(sender: sender, media: media, into: &writer)
        case .fullIntraRequest(let request):
            // The media source is in the entries. RFC 5104 sect. 4.3.1.2.
            writeSources(sender: request.sender, media: SSRC(0), into: &writer)
            request.write(into: &writer)
        case .receiverEstimatedMaximumBitrate(let estimate):
            writeSources(sender: estimate.sender, media: SSRC(0), into: &writer)
            estimate.write(into: &writer)
        case .transportFeedback(let feedback):
            writeSources(sender: feedback.sender, media: feedback.media, into: &writer)
            feedback.write(into: &writer)
        case .unknown(_, _, let bytes):
            writer.write(bytes)
        }
    }

    private func writeSources(sender: SSRC, media: SSRC, into writer: inout ByteWriter) {
        writer.write(sender.rawValue)
        writer.write(media.rawValue)
    }
}
