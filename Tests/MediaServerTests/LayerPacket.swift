import MediaKernel
import RTP

@testable import MediaServer

/// A packet of one encoding, made for the tests of forwarding.
struct LayerPacket {
    var encoding: Int
    var codec: MediaCodec
    var packet: RTPPacket

    private static func make(
        _ number: Int, _ timestamp: UInt32, _ ssrc: UInt32, _ payload: [UInt8], marker: Bool = true
    ) -> RTPPacket {
        RTPPacket(
            marker: marker, payloadType: PayloadType(96),
            sequenceNumber: SequenceNumber(extended: Int64(number)), timestamp: timestamp,
            ssrc: SSRC(ssrc), payload: payload[...])
    }

    static func sound(_ number: Int, ssrc: UInt32 = 1) -> LayerPacket {
        LayerPacket(
            encoding: 0, codec: .opus,
            packet: make(number, UInt32(truncatingIfNeeded: number * 960), ssrc, [1, 2, 3]))
    }

    static func vp8(
        _ number: Int, picture: Int, zeroIndex: UInt8 = 0, layer: UInt8 = 0, isSync: Bool = false,
        isKey: Bool = false, starts: Bool = true, encoding: Int = 0, timestamp: UInt32? = nil,
        ssrc: UInt32? = nil
    ) -> LayerPacket {
        var descriptor = VP8PayloadDescriptor()
        descriptor.startsPartition = starts
        descriptor.pictureID = UInt16(truncatingIfNeeded: picture) & 0x7FFF
        descriptor.temporalLayerZeroIndex = zeroIndex
        descriptor.temporalLayer = (layer, isSync)
        let header: [UInt8] =
            isKey ? [0x10, 2, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00] : [0x11, 2, 0]
        return LayerPacket(
            encoding: encoding, codec: .vp8,
            packet: make(
                number, timestamp ?? UInt32(truncatingIfNeeded: picture * 3000),
                ssrc ?? UInt32(1000 + encoding), descriptor.serialized() + header))
    }

    /// By x264, Baseline, 640x360.
    static let sequenceSet: [UInt8] = [
        0x67, 0x42, 0xC0, 0x1E, 0xD9, 0x00, 0xA0, 0x2F, 0xF9, 0x70, 0x11, 0x00, 0x00, 0x03,
        0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2E, 0x48,
    ]
    static let pictureSet: [UInt8] = [0x68, 0xCB, 0x83, 0xCB, 0x20]
    /// The same in a description.
    static let statedSets = "Z0LAHtkAoC/5cBEAAAMAAQAAAwA8DxYuSA==,aMuDyyA="

    static func h264(_ number: Int, picture: Int, _ payload: [UInt8]) -> LayerPacket {
        LayerPacket(
            encoding: 0, codec: .h264, packet: make(number, UInt32(picture * 3000), 1, payload))
    }

    static func vp9(
        _ number: Int, picture: Int, spatial: UInt8, isKey: Bool = false
    ) -> LayerPacket {
        var descriptor = VP9PayloadDescriptor()
        descriptor.pictureID = UInt16(picture)
        descriptor.isInterPicturePredicted = !isKey
        descriptor.startsLayerFrame = true
        descriptor.endsLayerFrame = true
        descriptor.layer = .init(
            temporal: 0, spatial: spatial, isInterLayerPredicted: spatial > 0)
        return LayerPacket(
            encoding: 0, codec: .vp9,
            packet: make(
                number, UInt32(picture * 3000), 1, descriptor.serialized() + [1, 2, 3],
                marker: spatial == 2))
    }
}

extension LayerForwarder {
    /// What of a packet goes to the subscriber; nil for nothing.
    mutating func forwarded(
        _ packet: RTPPacket, encoding: Int, summary: PayloadSummary, report: Report?,
        parameterSets: H264SetMemory = .init(), at now: Instant
    ) -> RTPPacket? {
        var packet = packet
        let isForwarded = forward(
            &packet, encoding: encoding, summary: summary, report: report,
            parameterSets: parameterSets, at: now)
        return isForwarded ? packet : nil
    }
}
