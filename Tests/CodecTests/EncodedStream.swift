import Codec
import MediaKernel

/// A short stream of pictures and sound, encoded and cut into segments like in production.
struct EncodedStream {
    var segments: [[UInt8]] = []
    var settings: VideoEncoderSettings

    init(
        seconds: Int, configure: (inout VideoEncoderSettings) -> Void = { _ in },
        picture: (Int, VideoEncoderSettings) throws -> VideoFrame = {
            try TestSignals.movingBar(width: $1.width, height: $1.height, index: $0)
        },
        sound: [Float]? = nil, startingAt start: MediaTime = MediaTime(ticks: 0, timescale: 1)
    ) throws {
        var settings = VideoEncoderSettings(
            width: 320, height: 180, frameRate: 30, bitrate: 300_000, keyframeInterval: 60)
        settings.preset = "ultrafast"
        configure(&settings)
        self.settings = settings
        let video = try H264Encoder(settings)
        let audio = try AACEncoder(bitrate: 96_000)
        let muxer = try TransportStreamMuxer(
            video: video.streamParameters, audio: audio.streamParameters)
        let samples = sound ?? TestSignals.beeps(seconds: seconds)
        var position = 0
        func takeVideo(_ packets: [EncodedPacket], _ segments: inout [[UInt8]]) throws {
            for packet in packets {
                let moved = packet.moved(by: start)
                if packet.isKeyframe, packet.pts.ticks > 0 {
                    segments.append(try muxer.cut(before: moved.pts).bytes)
                }
                try muxer.write(video: moved)
            }
        }
        func encodeAudio(upTo end: Int) throws {
            while position + AACEncoder.frameSize <= min(end, samples.count / 2) {
                let block = Array(samples[position * 2..<(position + AACEncoder.frameSize) * 2])
                for packet in try audio.encode(block, index: Int64(position)) {
                    try muxer.write(audio: packet.moved(by: start))
                }
                position += AACEncoder.frameSize
            }
        }
        for index in 0..<seconds * settings.frameRate {
            // Audio is encoded ahead of the picture, as in production, where pictures wait for
            // x264.
            try encodeAudio(upTo: (index + 4) * 48_000 / settings.frameRate)
            try takeVideo(
                try video.encode(
                    try picture(index, settings), index: Int64(index),
                    forceKeyframe: index % settings.keyframeInterval == 0), &segments)
        }
        try encodeAudio(upTo: samples.count / 2)
        try takeVideo(try video.flush(), &segments)
        for packet in try audio.flush() { try muxer.write(audio: packet.moved(by: start)) }
        segments.append(try muxer.finish().bytes)
    }
}

extension EncodedPacket {
    fileprivate func moved(by time: MediaTime) -> EncodedPacket {
        var packet = self
        packet.pts.ticks += time.rescaled(to: pts.timescale).ticks
        packet.dts.ticks += time.rescaled(to: dts.timescale).ticks
        return packet
    }
}
