internal import CLibAV
internal import MediaKernel

/// Splits a media file into packets, with the container's own timestamps.
final class Demuxer {
    /// A packet as stored in the container.
    struct Packet {
        var stream: Int
        var data: [UInt8]
        var pts: MediaTime?
        var dts: MediaTime?
        var duration: MediaTime
        var isKeyframe: Bool
    }

    /// Containers only: no playlists, which could name other files, and no devices.
    private static let containers = [
        "matroska", "webm", "mov", "mp4", "m4a", "ogg", "mpegts", "ivf", "wav", "mp3", "flac",
    ]
    /// More tracks than any recording has; further ones are ignored.
    static let streamsMaximum = 32

    let streamCount: Int
    private let url: String
    private let format: UnsafeMutablePointer<AVFormatContext>
    private let packet: PacketHandle

    /// - Throws: `.library` when the file is missing, unreadable or not a known container.
    convenience init(path: String) throws(CodecError) {
        // The scheme keeps a name such as "http:x" from becoming a network address.
        try self.init(url: "file:" + path, analyses: true)
    }

    private init(url: String, analyses: Bool) throws(CodecError) {
        self.url = url
        packet = try PacketHandle()
        var format: UnsafeMutablePointer<AVFormatContext>?
        var options = OptionDictionary([
            ("format_whitelist", Self.containers.joined(separator: ",")),
            ("protocol_whitelist", "file"),
        ])
        try check(
            avformat_open_input(&format, url, nil, &options.pointer), "avformat_open_input")
        guard let opened = format else { throw .outOfMemory }
        self.format = opened
        streamCount = min(Int(opened.pointee.nb_streams), Self.streamsMaximum)
        // From here on the object is whole, so a throw runs its deinit.
        if analyses { try check(avformat_find_stream_info(opened, nil), "find_stream_info") }
    }

    deinit {
        var format: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&format)
    }

    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
        index < streamCount ? format.pointee.streams[index] : nil
    }

    /// - Returns: nil at the end of the file.
    /// - Throws: `.library` when the file is damaged here.
    func read() throws(CodecError) -> Packet? {
        let code = av_read_frame(format, packet.pointer)
        if code == av_shim_error_end { return nil }
        try check(code, "av_read_frame")
        defer { av_packet_unref(packet.pointer) }
        let raw = packet.pointer.pointee
        let index = Int(raw.stream_index)
        let base = stream(index)?.pointee.time_base ?? AVRational(num: 1, den: 1)
        func time(_ ticks: Int64) -> MediaTime? {
            guard ticks != av_shim_no_timestamp, base.num > 0, base.den > 0 else { return nil }
            let (product, overflow) = ticks.multipliedReportingOverflow(by: Int64(base.num))
            return overflow ? nil : MediaTime(ticks: product, timescale: base.den)
        }
        return Packet(
            stream: index, data: packet.bytes, pts: time(raw.pts), dts: time(raw.dts),
            duration: time(raw.duration) ?? MediaTime(ticks: 0, timescale: 1),
            isKeyframe: raw.flags & AV_PKT_FLAG_KEY != 0)
    }

    /// Opens the same file again at its first packet, without first decoding a bit of every track.
    /// Seeking would be shorter, but is inexact in a transport stream.
    func reopened() throws(CodecError) -> Demuxer {
        try Demuxer(url: url, analyses: false)
    }
}
