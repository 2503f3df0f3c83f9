import ISOMedia
public import MediaKernel

/// One segment of fragmented MP4 in the making: a fragment of pictures and sound with CMAF's
/// constraints (ISO/IEC 23000-19 sect. 7.3.2), but for both tracks being in one file.
///
/// Decoding and presentation times are those of the packets, on a clock that begins at a second:
/// so a segment continues the previous one to the tick.
public struct FragmentBuilder: Sendable {
    private struct Picture {
        var decoded: Int64
        var shown: Int64
        var byteCount: Int
        var isKeyframe: Bool
    }

    private let clock: FragmentClock
    private var pictures: [Picture] = []
    private var pictureBytes: [UInt8] = []
    private var soundStart: Int64?
    private var blockSizes: [UInt32] = []
    private var soundBytes: [UInt8] = []

    /// - Parameter sampleRate: of the sound.
    public init(frameRate: Int, sampleRate: Int) {
        clock = FragmentClock(frameRate: frameRate, sampleRate: sampleRate)
    }

    /// Takes the next picture, in decoding order.
    ///
    /// - Parameter unit: an access unit in Annex B form.
    public mutating func add(
        picture unit: [UInt8], shownAt pts: MediaTime, decodedAt dts: MediaTime
    ) {
        let unit = AccessUnit(annexB: unit, from: 0, appendingTo: &pictureBytes)
        pictures.append(
            Picture(
                decoded: clock.pictureTicks(dts), shown: clock.pictureTicks(pts),
                byteCount: unit.byteCount, isKeyframe: unit.isKeyframe))
    }

    /// Takes the next block of sound, without ADTS header.
    public mutating func add(block: [UInt8], at pts: MediaTime) {
        if soundStart == nil { soundStart = clock.soundTicks(pts) }
        blockSizes.append(UInt32(clamping: block.count))
        soundBytes += block
    }

    /// The segment's bytes; empty if nothing was added.
    ///
    /// - Parameters:
    ///   - number: rises from segment to segment.
    ///   - end: of the last picture shown.
    public func rendered(number: UInt32, end: MediaTime) -> [UInt8] {
        var runs: [MovieFragment.Run] = []
        if let first = pictures.first {
            // The next picture that is decoded is shown at the end, and as far ahead of that.
            let next = clock.pictureTicks(end) - max(0, first.shown - first.decoded)
            let samples = pictures.enumerated().map { index, picture in
                let after = index + 1 < pictures.count ? pictures[index + 1].decoded : next
                return MovieFragment.Sample(
                    byteCount: UInt32(clamping: picture.byteCount),
                    duration: UInt32(clamping: max(1, after - picture.decoded)),
                    compositionOffset: UInt32(clamping: picture.shown - picture.decoded),
                    isSync: picture.isKeyframe)
            }
            runs.append(
                MovieFragment.Run(
                    track: FragmentClock.pictures, decodingTime: UInt64(clamping: first.decoded),
                    samples: samples))
        }
        if let soundStart {
            runs.append(
                MovieFragment.Run(
                    track: FragmentClock.sound, decodingTime: UInt64(clamping: soundStart),
                    samples: blockSizes.map {
                        MovieFragment.Sample(
                            byteCount: $0, duration: UInt32(SoundFormat.blockSamples))
                    }))
        }
        guard !runs.isEmpty else { return [] }
        return MovieFragment(number: number, runs: runs).rendered() + pictureBytes + soundBytes
    }
}
