import Codec
import Compositor
import MediaKernel
import Recording
import Stage

/// Makes one H.264 track of pictures whose codec MP4 does not have, or whose size or rotation
/// changes: decodes them, turns them upright, fits them into one size with bars, and encodes them.
/// Each keeps its own time.
final class PictureComposer {
    /// One picture of the movie.
    struct Picture {
        var place: Int64
        var isKeyframe: Bool
        /// Units after their lengths.
        var bytes: [UInt8]
    }

    let width: Int
    let height: Int
    /// AVCDecoderConfigurationRecord.
    let configuration: [UInt8]
    private let parts: [RecordedPart]
    private let compositor: Compositor
    private let encoder: H264Encoder
    private var decoder: VideoDecoder?
    private var part = -1
    /// The places of the pictures inside the encoder, by their numbers.
    private var places: [Int64: Int64] = [:]
    private var number: Int64 = 0
    private var latest = Int64.min

    private static let sideMaximum = 4096
    private static let sideMinimum = 16
    /// The encoder's pictures have no even rate; it only spends its bits by it.
    private static let frameRate = 30
    /// At least every two seconds at the usual rate.
    private static let keyframeInterval = 60
    private static let bitrates = 150_000...12_000_000
    /// H.264 encoded fast needs more bits than what was sent.
    private static let expansion = 1.5

    /// - Parameter parts: in the order in which they begin; at least one.
    /// - Throws: `CodecError`.
    init(_ parts: [RecordedPart]) throws {
        self.parts = parts
        let size = Self.size(of: parts)
        (width, height) = size
        compositor = try Compositor(canvas: Canvas(width: width, height: height))
        var settings = VideoEncoderSettings(
            width: width, height: height, frameRate: Self.frameRate,
            bitrate: Self.bitrate(of: parts), keyframeInterval: Self.keyframeInterval)
        settings.preset = "veryfast"
        // Without reordering, a picture's number is its place in the file.
        settings.bFramesMaximum = 0
        encoder = try H264Encoder(settings)
        guard
            let configuration = AVCForm.configuration(
                sequence: encoder.parameterSets.sequence, picture: encoder.parameterSets.picture)
        else { throw CodecError.partMissing("parameter sets") }
        self.configuration = configuration
    }

    /// The largest upright size of any part, the first one of several: senders begin small and
    /// shrink when the network is slow.
    private static func size(of parts: [RecordedPart]) -> (width: Int, height: Int) {
        let sizes = parts.map { part -> (Int, Int) in
            let isSideways = part.format.rotation % 180 != 0
            return isSideways
                ? (part.format.height, part.format.width)
                : (part.format.width, part.format.height)
        }
        var (width, height) = sizes[0]
        for (w, h) in sizes where w * h > width * height { (width, height) = (w, h) }
        let scale = min(1, Double(sideMaximum) / Double(max(width, height)))
        func side(_ length: Int) -> Int {
            max(sideMinimum, Int(Double(length) * scale) & ~1)
        }
        return (side(width), side(height))
    }

    private static func bitrate(of parts: [RecordedPart]) -> Int {
        let bytes = parts.reduce(0) { $0 + Double($1.file.bytes) }
        let frames = parts.reduce(0) { $0 + $1.file.frames }
        let wanted = bytes * 8 / Double(max(1, frames)) * Double(frameRate) * expansion
        return min(max(Int(wanted), bitrates.lowerBound), bitrates.upperBound)
    }

    /// - Returns: pictures that are ready, in the order of their places.
    /// - Throws: `CodecError` of the encoder; a picture that cannot be decoded is left out.
    func take(_ picture: PartPictures.Picture) throws -> [Picture] {
        var begins = false
        if picture.part != part || decoder == nil {
            part = picture.part
            decoder = try VideoDecoder(codec: Self.kind(of: parts[part].format.codec))
            begins = true
        }
        guard let decoded = try? decoder?.decode(input(picture), timestamp: picture.place) else {
            return []
        }
        var ready: [Picture] = []
        for picture in decoded where picture.timestamp > latest {
            latest = picture.timestamp
            places[number] = picture.timestamp
            ready += pictures(
                try encoder.encode(
                    fitted(picture.frame), index: number, forceKeyframe: begins))
            number += 1
            begins = false
        }
        return ready
    }

    /// The pictures that are still inside.
    func finish() throws -> [Picture] { pictures(try encoder.flush()) }

    private func pictures(_ packets: [EncodedPacket]) -> [Picture] {
        packets.compactMap { packet in
            places.removeValue(forKey: packet.pts.ticks).map {
                Picture(
                    place: $0, isKeyframe: packet.isKeyframe,
                    bytes: AVCForm.sample(annexB: packet.data))
            }
        }
    }

    private func input(_ picture: PartPictures.Picture) -> [UInt8] {
        let format = parts[picture.part].format
        guard format.codec == .h264 else { return picture.bytes }
        let sets = picture.isKeyframe ? AVCForm.parameterSets(of: format.configuration) : []
        return sets + AVCForm.annexB(picture.bytes)
    }

    private func fitted(_ frame: VideoFrame) throws(CodecError) -> VideoFrame {
        let rotation = FrameRotation(rawValue: parts[part].format.rotation) ?? .none
        if rotation == .none, frame.width == width, frame.height == height { return frame }
        return try compositor.compose(
            tiles: [
                PlacedFrame(
                    rectangle: compositor.canvas.bounds, fit: .letterbox, frame: frame,
                    rotation: rotation)
            ], dressing: Decorations(background: .black))
    }

    private static func kind(of codec: TrackCodec) throws(CodecError) -> VideoCodecKind {
        guard let kind = VideoCodecKind(rawValue: codec.rawValue) else {
            throw .partMissing("decoder \(codec.rawValue)")
        }
        return kind
    }
}
