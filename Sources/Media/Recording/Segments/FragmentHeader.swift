import ISOMedia
import MediaKernel

/// The initialization section of a layer's fragments.
///
/// Its name is that of its content: a bot that replaces another one writes the same file, or
/// another one beside it if its encoder differs.
public struct FragmentHeader: Hashable, Sendable {
    public let bytes: [UInt8]
    /// CRC-32 of the bytes.
    public let checksum: UInt32

    /// A kilobyte is usual.
    static let bytesMaximum = 1 << 16

    /// Luma samples, and the pictures' parameter sets.
    public struct Picture: Hashable, Sendable {
        public var width: Int
        public var height: Int
        /// Frames per second.
        public var frameRate: Int
        public var parameterSets: ParameterSets

        public init(width: Int, height: Int, frameRate: Int, parameterSets: ParameterSets) {
            self.width = width
            self.height = height
            self.frameRate = frameRate
            self.parameterSets = parameterSets
        }
    }

    /// A section that has been made already.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
        checksum = CRC32.checksum(bytes)
    }

    /// - Parameters:
    ///   - picture: nil for sound alone.
    ///   - bitrate: of the sound, in bits per second.
    public init(picture: Picture?, sound: SoundFormat, bitrate: Int) {
        var tracks: [FragmentedMovieHeader.Track] = []
        if let picture {
            let (width, height) = (
                UInt16(clamping: picture.width), UInt16(clamping: picture.height)
            )
            let clock = FragmentClock(frameRate: picture.frameRate, sampleRate: sound.sampleRate)
            tracks.append(
                FragmentedMovieHeader.Track(
                    id: FragmentClock.pictures, .video(width: width, height: height),
                    timescale: clock.timescale,
                    entry: .avc(
                        width: width, height: height,
                        configuration: picture.parameterSets.decoderConfiguration)))
        }
        let rate = UInt32(clamping: bitrate)
        tracks.append(
            FragmentedMovieHeader.Track(
                id: FragmentClock.sound, .audio, timescale: UInt32(sound.sampleRate),
                entry: .aac(
                    channels: sound.channels, sampleRate: UInt32(sound.sampleRate),
                    configuration: sound.audioSpecificConfig,
                    SampleEntry.Bitrate(average: rate, peak: rate))))
        self.init(bytes: FragmentedMovieHeader(tracks: tracks).bytes)
    }

    public var fileName: String { Self.fileName(checksum: checksum) }

    static func fileName(checksum: UInt32) -> String {
        "init_\(Hexadecimal.text(checksum)).mp4"
    }
}
