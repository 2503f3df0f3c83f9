internal import CLibAV
public import MediaKernel
import Workbench

@testable public import Codec

/// Decodes a complete finished segment or file, to check a viewer's experience. Of video formats it
/// supports only H.264.
public enum MediaProbe {
    /// A file that decodes to more pictures is truncated there: a minute at 60 frames per second.
    public static let picturesMaximum = 3600

    public struct Picture: Sendable {
        /// As written in the container.
        public let pts: MediaTime
        /// Whether decoding can start here.
        public let isKeyframe: Bool
        public let frame: VideoFrame
    }

    public struct Report: Sendable {
        /// In presentation order.
        public var pictures: [Picture] = []
        /// The audio in blocks, 48 kHz stereo, with the container's times.
        public var sound: [DecodedAudio] = []
        /// Packets that could not be decoded.
        public var damagedPackets = 0

        /// The audio samples of one channel in a row, from `sound.first.pts` on.
        public func samples(ofChannel channel: Int) -> [Float] {
            sound.flatMap { block in
                stride(from: channel, to: block.samples.count, by: AudioDecoder.channels)
                    .map { block.samples[$0] }
            }
        }
    }

    private struct Video {
        let stream: Int
        let timescale: Int32
        let filter: AnnexBFilter
        let decoder: VideoDecoder
    }

    /// - Throws: `CodecError.library` if the bytes are not a container.
    public static func decode(_ bytes: [UInt8]) throws -> Report {
        let scratch = try Scratch()
        let path = try scratch.write(bytes, to: "media")
        return try withExtendedLifetime(scratch) { try decode(path: path) }
    }

    /// - Throws: `.library` if the file cannot be read or is not a container.
    public static func decode(path: String) throws(CodecError) -> Report {
        let demuxer = try Demuxer(path: path)
        var report = Report()
        var video: Video?
        var audio: (stream: Int, decoder: AudioDecoder)?
        for index in 0..<demuxer.streamCount {
            guard let stream = demuxer.stream(index), let source = stream.pointee.codecpar
            else { continue }
            if source.pointee.codec_type == AVMEDIA_TYPE_VIDEO, video == nil {
                video = Video(
                    stream: index, timescale: stream.pointee.time_base.den,
                    filter: try AnnexBFilter(source),
                    decoder: try VideoDecoder(codec: .h264, allowsReordering: true))
            } else if source.pointee.codec_type == AVMEDIA_TYPE_AUDIO, audio == nil {
                audio = (index, try AudioDecoder(parameters: try TrackParameters.copy(of: source)))
            }
        }
        var keyframes: Set<Int64> = []
        func show(_ decoded: [DecodedVideo], timescale: Int32) {
            for picture in decoded {
                report.pictures.append(
                    Picture(
                        pts: MediaTime(ticks: picture.timestamp, timescale: timescale),
                        isKeyframe: keyframes.contains(picture.timestamp),
                        frame: picture.frame))
            }
        }
        while let packet = try demuxer.read(), report.pictures.count < picturesMaximum {
            guard let pts = packet.pts else { continue }
            do throws(CodecError) {
                if let video, packet.stream == video.stream {
                    if packet.isKeyframe { keyframes.insert(pts.ticks) }
                    let data = try video.filter.convert(
                        packet.data, isKeyframe: packet.isKeyframe)
                    let decoded = try video.decoder.decode(data, timestamp: pts.ticks)
                    show(decoded, timescale: video.timescale)
                } else if let audio, packet.stream == audio.stream {
                    report.sound += try audio.decoder.decode(packet.data, pts: pts)
                }
            } catch { report.damagedPackets += 1 }
        }
        if let video { show(try video.decoder.flush(), timescale: video.timescale) }
        return report
    }
}
