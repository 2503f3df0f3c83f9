import Testing

@testable import ISOMedia

/// Fragments as they are written, and read back.
@Suite struct MovieFragmentTests {
    private typealias Sample = MovieFragment.Sample

    private static func segment(_ runs: [MovieFragment.Run], number: UInt32 = 1) -> [UInt8] {
        let count = runs.flatMap(\.samples).reduce(0) { $0 + Int($1.byteCount) }
        return MovieFragment(number: number, runs: runs).rendered()
            + (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    private static let pictures = MovieFragment.Run(
        track: 1, decodingTime: 3000,
        samples: [
            Sample(byteCount: 90, duration: 100, compositionOffset: 100),
            Sample(byteCount: 20, duration: 100, compositionOffset: 200, isSync: false),
            Sample(byteCount: 10, duration: 300, compositionOffset: 0, isSync: false),
        ])
    private static let sound = MovieFragment.Run(
        track: 2, decodingTime: 48_000,
        samples: [Sample(byteCount: 7, duration: 1024), Sample(byteCount: 9, duration: 1024)])

    @Test func whatIsWrittenIsRead() throws {
        let bytes = Self.segment([Self.pictures, Self.sound])
        let reader = try FragmentReader(bytes)
        let pictures = try #require(reader.samples[1])
        #expect(pictures.map(\.decodingTime) == [3000, 3100, 3200])
        #expect(pictures.map(\.duration) == [100, 100, 300])
        #expect(pictures.map(\.compositionOffset) == [100, 200, 0])
        #expect(pictures.map(\.isSync) == [true, false, false])
        #expect(pictures.map(\.bytes.count) == [90, 20, 10])
        #expect(bytes[pictures[1].bytes].first == 90)
        let sound = try #require(reader.samples[2])
        #expect(sound.map(\.decodingTime) == [48_000, 49_024])
        #expect(sound.map(\.isSync) == [true, true])
        #expect(bytes[sound[1].bytes].elementsEqual((127..<136).map { UInt8($0) }))
        #expect(sound[1].bytes.upperBound == bytes.count)
    }

    @Test func severalFragmentsMakeOneSegment() throws {
        let bytes = Self.segment([Self.pictures]) + Self.segment([Self.sound], number: 2)
        let reader = try FragmentReader(bytes)
        #expect(reader.samples.mapValues(\.count) == [1: 3, 2: 2])
    }

    @Test func everyMixtureOfKeyFramesIsKept() throws {
        for mask in 0..<16 {
            let samples = (0..<4).map {
                Sample(byteCount: 5, duration: 1, isSync: mask >> $0 & 1 == 1)
            }
            let reader = try FragmentReader(
                Self.segment([MovieFragment.Run(track: 1, decodingTime: 0, samples: samples)]))
            #expect(reader.samples[1]?.map(\.isSync) == samples.map(\.isSync))
        }
    }

    /// A truncated segment is refused wherever it ends, but for the places where a whole fragment
    /// ends.
    @Test func everyTruncationIsRefused() throws {
        let first = Self.segment([Self.pictures, Self.sound])
        let bytes = first + Self.segment([Self.pictures], number: 2)
        for count in 0..<bytes.count where count != 0 && count != first.count {
            #expect(throws: FragmentReader.Malformed.self) {
                try FragmentReader(Array(bytes[..<count]))
            }
        }
    }

    /// Whatever the bytes are, reading ends, and within bounds.
    @Test func noChangedByteIsFatal() throws {
        let bytes = Self.segment([Self.pictures, Self.sound])
        let head = bytes.count - 136
        for index in 0..<head {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, bytes[index] ^ 1] {
                var changed = bytes
                changed[index] = value
                guard let reader = try? FragmentReader(changed) else { continue }
                for sample in reader.samples.values.joined() {
                    #expect(sample.bytes.upperBound <= changed.count)
                }
            }
        }
    }

    /// The header has no sample, and says of each track what decoders must know.
    @Test func aHeaderDescribesTheTracks() throws {
        let header = FragmentedMovieHeader(tracks: [
            FragmentedMovieHeader.Track(
                id: 1, .video(width: 320, height: 180), timescale: 3000,
                entry: .avc(width: 320, height: 180, configuration: [1, 2, 3])),
            FragmentedMovieHeader.Track(
                id: 2, .audio, timescale: 48_000,
                entry: .aac(
                    channels: 2, sampleRate: 48_000, configuration: [0x11, 0x90],
                    SampleEntry.Bitrate(average: 64_000, peak: 64_000))),
        ])
        let text = String(decoding: header.bytes, as: Unicode.ASCII.self)
        for type in ["ftyp", "moov", "mvex", "trex", "avc1", "mp4a"] {
            #expect(text.contains(type), "no \(type)")
        }
        #expect(!text.contains("mdat") && !text.contains("elst"))
    }
}
