/// One Opus track as an Ogg file, written from front to back. RFC 7845.
public struct OpusStream: Sendable {
    private let serial: UInt32
    private var number: UInt32 = 0
    private var packets: [[UInt8]] = []
    private var segments = 0
    /// Samples so far, with those that are skipped at the beginning.
    private var granule: Int64 = 0
    private var pageBegan: Int64 = 0

    /// A page lasts a second at most, so that players can seek closely.
    private static let pageSamples = OpusPacket.sampleRate

    /// - Parameter serial: any number.
    public init(serial: UInt32) { self.serial = serial }

    /// The two header pages.
    public mutating func header(channels: Int, comments: [String] = []) -> [UInt8] {
        let head = page([OpusPacket.head(channels: channels)], at: 0, .first)
        var tags = Array("OpusTags".utf8)
        func append(_ text: String) {
            withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { tags += $0 }
            tags += text.utf8
        }
        append("Roomcast")
        withUnsafeBytes(of: UInt32(comments.count).littleEndian) { tags += $0 }
        for comment in comments { append(comment) }
        // A packet may need more than a page; comments are short.
        return head + page([tags], at: 0, .middle)
    }

    /// - Parameter samples: the packet's length.
    /// - Returns: a page, if one is full; empty otherwise.
    public mutating func add(_ packet: [UInt8], samples: Int64) -> [UInt8] {
        let needed = OggPage.segments(of: packet)
        var bytes: [UInt8] = []
        if segments + needed > OggPage.segmentsMaximum
            || granule + samples - pageBegan > Self.pageSamples
        {
            bytes = flush(.middle)
        }
        packets.append(packet)
        segments += needed
        granule += samples
        return bytes
    }

    /// The last page.
    public mutating func finish() -> [UInt8] { flush(.last) }

    private mutating func flush(_ place: OggPage.Place) -> [UInt8] {
        guard !packets.isEmpty || place == .last else { return [] }
        let bytes = page(packets, at: granule, place)
        packets = []
        segments = 0
        pageBegan = granule
        return bytes
    }

    private mutating func page(
        _ packets: [[UInt8]], at granule: Int64, _ place: OggPage.Place
    ) -> [UInt8] {
        defer { number += 1 }
        return OggPage.bytes(
            packets, granule: granule, serial: serial, number: number, place: place)
    }
}
