import Codec
import MediaKernel

/// A moving bar, as each codec sends it.
func codedPackets(
    _ codec: VideoCodecKind, width: Int, height: Int, count: Int
) throws -> [EncodedPacket] {
    codec == .h264
        ? try h264Packets(width: width, height: height, count: count, bFrames: 0)
        : try vpxPackets(
            codec == .vp9 ? .vp9 : .vp8, width: width, height: height, count: count)
}

func vpxPackets(
    _ format: VPXEncoder.Format, width: Int, height: Int, count: Int
) throws -> [EncodedPacket] {
    let encoder = try VPXEncoder(
        format,
        VideoEncoderSettings(
            width: width, height: height, frameRate: 30, bitrate: 400_000,
            keyframeInterval: 300))
    return try (0..<count).flatMap { index in
        try encoder.encode(
            try TestSignals.movingBar(width: width, height: height, index: index),
            index: Int64(index), forceKeyframe: index == 0)
    }
}

func h264Packets(
    width: Int, height: Int, count: Int, bFrames: Int
) throws -> [EncodedPacket] {
    var settings = VideoEncoderSettings(
        width: width, height: height, frameRate: 30, bitrate: 600_000, keyframeInterval: 300)
    settings.bFramesMaximum = bFrames
    let encoder = try H264Encoder(settings)
    let packets = try (0..<count).flatMap { index in
        try encoder.encode(
            try TestSignals.movingBar(width: width, height: height, index: index),
            index: Int64(index), forceKeyframe: index == 0)
    }
    return packets + (try encoder.flush())
}
