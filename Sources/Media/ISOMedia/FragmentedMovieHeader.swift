/// The header of a movie whose samples come in fragments: `ftyp` and a `moov` without samples.
/// ISO/IEC 14496-12 sect. 8.8.
public struct FragmentedMovieHeader: Sendable {
    public let bytes: [UInt8]

    /// One track of the movie.
    public struct Track: Hashable, Sendable {
        /// Unique in the movie, from 1.
        public var id: UInt32
        public var kind: MovieTrack.Kind
        /// Ticks per second.
        public var timescale: UInt32
        public var entry: SampleEntry

        public init(
            id: UInt32, _ kind: MovieTrack.Kind, timescale: UInt32, entry: SampleEntry
        ) {
            self.id = id
            self.kind = kind
            self.timescale = timescale
            self.entry = entry
        }
    }

    /// The same tracks always have the same bytes: there is no time of creation.
    public init(tracks: [Track]) {
        var writer = BoxWriter()
        writer.box("ftyp") {
            $0.write(text: "iso6")
            $0.write(UInt32(1))
            $0.write(text: "iso6isommp41")
        }
        writer.box("moov") {
            MovieHeader.writeMovieHeader(duration: 0, created: 0, to: &$0)
            for track in tracks {
                MovieHeader.write(
                    MovieTrack(
                        id: track.id, track.kind, timescale: track.timescale, duration: 0,
                        shown: 0, table: SampleTable(), entries: [track.entry]),
                    MovieHeader.Times(pause: 0, shown: 0, needsEdits: false), 0, to: &$0,
                    mediaOffset: 0, hasLongOffsets: false)
            }
            $0.box("mvex") {
                for track in tracks {
                    $0.fullBox("trex") {
                        $0.write(track.id)
                        $0.write(UInt32(1))  // sample description
                        $0.zeros(12)  // defaults: each fragment has its own
                    }
                }
            }
        }
        bytes = writer.bytes
    }
}
