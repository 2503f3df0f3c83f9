import Codec
import HLS
import MediaKernel
import Recording

/// Segments of fragmented MP4, made of the packets as they are, or their parts, which need not begin
/// with an IDR picture.
final class FragmentMuxer: SegmentContainer {
    private let frameRate: Int
    private let sampleRate: Int
    private let parameterSets: H264ParameterSets?
    private let header: [UInt8]
    private var packets = SegmentPackets()
    private var number: UInt32 = 0

    /// - Parameter video: nil for audio alone, which is cut by `cut(at:)`.
    /// - Throws: `.partMissing` for parameters that no initialization section can hold.
    init(video: VideoStreamParameters?, audio: AudioStreamParameters) throws(CodecError) {
        let sets = video?.parameterSets
        let picture = video.flatMap { video in
            ParameterSets(
                sequence: video.parameterSets.sequence, picture: video.parameterSets.picture
            ).map {
                FragmentHeader.Picture(
                    width: video.width, height: video.height, frameRate: video.frameRate,
                    parameterSets: $0)
            }
        }
        guard let format = SoundFormat(sampleRate: audio.sampleRate, channels: audio.channels),
            (picture == nil) == (video == nil)
        else { throw .partMissing("initialization section") }
        frameRate = video?.frameRate ?? 1
        sampleRate = audio.sampleRate
        parameterSets = sets
        header = FragmentHeader(picture: picture, sound: format, bitrate: audio.bitrate).bytes
    }

    func write(video packet: EncodedPacket) throws(CodecError) {
        try packets.append(video: packet)
    }

    func write(audio packet: EncodedPacket) throws(CodecError) {
        try packets.append(audio: packet)
    }

    func isAudioComplete(until time: MediaTime) -> Bool {
        packets.isAudioComplete(until: time)
    }

    func hasAllAudio(endingBy time: MediaTime) -> Bool { packets.hasAllAudio(endingBy: time) }

    func cut(before time: MediaTime) throws(CodecError) -> MultiplexedSegment {
        let (video, audio) = try packets.take(before: time)
        return segment(video, audio, end: time)
    }

    func cut(at time: MediaTime) throws(CodecError) -> MultiplexedSegment {
        let (video, audio) = packets.take(at: time)
        return segment(video, audio, end: time)
    }

    func finish() throws(CodecError) -> MultiplexedSegment {
        let (video, audio) = packets.takeAll()
        let last = video.map(\.end).max { $0.seconds < $1.seconds }
        return segment(video, audio, end: last ?? MediaTime(ticks: 0, timescale: 1))
    }

    private func segment(
        _ video: [EncodedPacket], _ audio: [EncodedPacket], end: MediaTime
    ) -> MultiplexedSegment {
        var builder = FragmentBuilder(frameRate: frameRate, sampleRate: sampleRate)
        for packet in video {
            builder.add(picture: packet.data, shownAt: packet.pts, decodedAt: packet.dts)
        }
        for packet in audio { builder.add(block: packet.data, at: packet.pts) }
        number &+= 1
        var segment = MultiplexedSegment(
            bytes: builder.rendered(number: number, end: end), video: video, audio: audio,
            parameterSets: parameterSets)
        if !segment.bytes.isEmpty { segment.header = header }
        return segment
    }
}
