import MediaKernel
import RTP

/// One stream of synthetic packets: their sizes and times are a microphone's or a camera's, and
/// their payloads begin like the codec's, so that forwarders recognise key frames.
struct Source {
    let trackID: String
    let encoding: Int
    private let id: UInt32
    private let content: Content
    private let firstTimestamp = UInt32.random(in: 0...UInt32.max)
    private var packetizer: any Packetizer
    private var sequence = SequenceNumber(.random(in: 0...UInt16.max))
    private var begin: Instant?
    private var sentFrames: Int64 = 0
    private var owesKeyframe = true

    private enum Content {
        case sound(isSpeech: Bool)
        case video(Load.Layer)
    }

    /// The interval at which libopus updates silence with DTX, and the packets that browsers then
    /// send: a frame, and one without content.
    private static let silenceInterval: Duration = .milliseconds(400)
    private static let silence: [[UInt8]] = [[0xF8, 0xFF, 0xFE], [0xF8]]
    private static let soundInterval: Duration = .milliseconds(20)
    private static let keyframeFactor = 5
    private static let speechLevel: UInt8 = 30

    /// - Parameter id: unique among the sources of the room.
    init(sound trackID: String, id: UInt32, isSpeech: Bool) {
        self.trackID = trackID
        self.id = id
        encoding = 0
        content = .sound(isSpeech: isSpeech)
        packetizer = MediaCodec.opus.makePacketizer()
    }

    init(video trackID: String, id: UInt32, layer: Load.Layer, encoding: Int) {
        self.trackID = trackID
        self.id = id
        self.encoding = encoding
        content = .video(layer)
        packetizer = MediaCodec.vp8.makePacketizer(mtu: 1200 - Stamp.bytes)
    }

    mutating func requestKeyframe() { owesKeyframe = true }

    static func isSilence(_ payload: ArraySlice<UInt8>) -> Bool {
        silence.contains { $0.elementsEqual(payload) }
    }

    /// When the next frame is due, relative to the first one.
    private var due: Duration {
        switch content {
        case .sound(isSpeech: true): return Self.soundInterval * sentFrames
        case .sound(isSpeech: false):
            let (updates, place) = sentFrames.quotientAndRemainder(
                dividingBy: Int64(Self.silence.count))
            return Self.silenceInterval * updates + Self.soundInterval * place
        case .video:
            return .nanoseconds(sentFrames * 1_000_000_000 / Int64(Load.framesPerSecond))
        }
    }

    /// Its packets have the sizes of silence, so they carry no stamp.
    private var isSilent: Bool {
        if case .sound(isSpeech: false) = content { true } else { false }
    }

    private var clockRate: Int64 {
        if case .sound = content { 48_000 } else { 90_000 }
    }

    /// The packets of the due frames.
    ///
    /// - Parameter audioLevel: the id of that header extension, if it was negotiated.
    mutating func packets(at now: Instant, audioLevel: UInt8?) -> [RTPPacket] {
        let begin = begin ?? now
        self.begin = begin
        var packets: [RTPPacket] = []
        while begin + due <= now {
            packets += frame(at: now, audioLevel: audioLevel)
            sentFrames += 1
        }
        return packets
    }

    private mutating func frame(at now: Instant, audioLevel: UInt8?) -> [RTPPacket] {
        let timestamp = timestamp(after: due)
        let isKeyframe = owesKeyframe
        owesKeyframe = false
        return packetizer.packetize(frame: data(isKeyframe: isKeyframe), isKeyframe: isKeyframe)
            .map { part in
                var payload = part.payload
                if !isSilent { Stamp(source: id, sent: now).append(to: &payload) }
                var packet = RTPPacket(
                    marker: part.marker, payloadType: PayloadType(0), sequenceNumber: sequence,
                    timestamp: timestamp, ssrc: SSRC(0), payload: payload[...])
                sequence = sequence.advanced(by: 1)
                if case .sound(let isSpeech) = content, let audioLevel {
                    let level = AudioLevel(
                        voice: isSpeech, level: isSpeech ? Self.speechLevel : AudioLevel.silence)
                    packet.extensions.set(audioLevel, level.extensionBytes)
                }
                return packet
            }
    }

    /// The time for a sender report: now, in both clocks.
    func timestamp(at now: Instant) -> UInt32? { begin.map { timestamp(after: now - $0) } }

    private func timestamp(after elapsed: Duration) -> UInt32 {
        firstTimestamp
            &+ UInt32(truncatingIfNeeded: elapsed.nanoseconds / 1000 * clockRate / 1_000_000)
    }

    private func data(isKeyframe: Bool) -> [UInt8] {
        switch content {
        case .sound(let isSpeech):
            guard isSpeech else { return Self.silence[Int(sentFrames) % Self.silence.count] }
            // A TOC byte: CELT, full band, 20 ms, mono. RFC 6716 sect. 3.1.
            return [0xF8] + [UInt8](repeating: 0, count: Load.soundBytes - 1)
        case .video(let layer):
            let mean = layer.bitsPerSecond / 8 / Load.framesPerSecond
            guard isKeyframe else { return [0x11] + [UInt8](repeating: 0, count: mean - 1) }
            // The frame tag and the start of a key frame. RFC 6386 sect. 9.1.
            let (width, height) = (UInt16(layer.width), UInt16(layer.height))
            let header: [UInt8] = [
                0x10, 0, 0, 0x9D, 0x01, 0x2A, UInt8(width & 0xFF), UInt8(width >> 8),
                UInt8(height & 0xFF), UInt8(height >> 8),
            ]
            return header
                + [UInt8](repeating: 0, count: mean * Self.keyframeFactor - header.count)
        }
    }
}
