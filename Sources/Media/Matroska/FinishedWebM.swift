/// The layout of a finished WebM file, or of a Matroska file if WebM does not have the codec: its
/// length, its index and the beginning of each cluster are known before a frame is read.
///
/// ```
/// EBML │ Segment: SeekHead, Info, Tracks, Cues │ Cluster, Cluster, …
/// ```
/// So a player that reads from front to back can seek at once.
public struct FinishedWebM: Sendable {
    /// What the layout must know of a frame.
    public struct Sample: Hashable, Sendable {
        /// In milliseconds from the file's beginning.
        public var time: Int64
        public var byteCount: Int
        public var isKeyframe: Bool
        /// The position of its track among those of the file.
        public var track: Int

        public init(time: Int64, byteCount: Int, isKeyframe: Bool, track: Int = 0) {
            self.time = time
            self.byteCount = byteCount
            self.isKeyframe = isKeyframe
            self.track = track
        }
    }

    /// Everything before the first cluster.
    public let header: [UInt8]
    /// Of the whole file.
    public let byteCount: UInt64

    /// The index of the first sample of each cluster.
    private let starts: [Int]
    private let samples: [Sample]
    /// In bytes, with the clusters' heads.
    private let clusterSizes: [UInt64]

    /// A cluster ends with the first key frame after this, in milliseconds, or in any case after
    /// the second figure.
    private static let clusterTimes: (Int64, Int64) = (2_000, 10_000)
    /// A larger cluster is ended by any key frame.
    private static let clusterBytes = 4 << 20
    private static let scale: UInt64 = 1_000_000

    /// - Parameters:
    ///   - samples: in the order of decoding.
    ///   - duration: in milliseconds.
    public init(_ track: MatroskaTrack, samples: [Sample], duration: Int64) {
        self.init([track], samples: samples, duration: duration)
    }

    /// - Parameters:
    ///   - tracks: at least one.
    ///   - samples: of all tracks, in the order of their times.
    ///   - duration: in milliseconds.
    public init(_ tracks: [MatroskaTrack], samples: [Sample], duration: Int64) {
        // Sound can begin anywhere; so the pictures say where the file can be entered.
        let main = tracks.firstIndex(where: \.isVideo) ?? 0
        func isEntrance(_ sample: Sample) -> Bool { sample.isKeyframe && sample.track == main }
        let starts = Self.starts(samples, isEntrance)
        var sizes: [UInt64] = []
        for index in starts.indices {
            let end = index + 1 < starts.count ? starts[index + 1] : samples.count
            var size = UInt64(Self.clusterHeadBytes)
            for sample in samples[starts[index]..<end] {
                size += UInt64(Self.blockHeadBytes + sample.byteCount)
            }
            sizes.append(size)
        }
        var info = ElementWriter()
        FileHead.writeInfo(scale: Self.scale, duration: Double(duration), to: &info)
        var entries = ElementWriter()
        MatroskaTrack.write(tracks, to: &entries)
        // Its size does not depend on the positions, because all of them have eight bytes.
        func seekHead(_ cues: UInt64, _ first: UInt64) -> ElementWriter {
            var writer = ElementWriter()
            let places: [(ElementID, UInt64)] = [
                (.info, first), (.tracks, first + UInt64(info.bytes.count)), (.cues, cues),
            ]
            writer.element(.seekHead) {
                for (id, place) in places {
                    $0.element(.seek) {
                        var name = ElementWriter()
                        name.id(id)
                        $0.binary(.seekID, name.bytes)
                        $0.unsigned(.seekPosition, place)
                    }
                }
            }
            return writer
        }
        func cues(_ first: UInt64) -> ElementWriter {
            var writer = ElementWriter()
            var place = first
            writer.element(.cues) {
                for (start, size) in zip(starts, sizes) {
                    if isEntrance(samples[start]) {
                        $0.element(.cuePoint) {
                            $0.unsigned(.cueTime, UInt64(max(0, samples[start].time)))
                            $0.element(.cueTrackPositions) {
                                $0.unsigned(.cueTrack, MatroskaTrack.number(at: main))
                                $0.unsigned(.cueClusterPosition, place)
                            }
                        }
                    }
                    place += size
                }
            }
            return writer
        }
        let infoPlace = UInt64(seekHead(0, 0).bytes.count)
        let cuesPlace = infoPlace + UInt64(info.bytes.count + entries.bytes.count)
        let clustersPlace = cuesPlace + UInt64(cues(0).bytes.count)
        let content = clustersPlace + sizes.reduce(0, +)
        var writer = ElementWriter()
        let docType = tracks.allSatisfy(\.isWebM) ? "webm" : "matroska"
        FileHead.write(docType: docType, to: &writer)
        writer.id(.segment)
        writer.length(Int(content))
        let head = writer.bytes.count
        writer.raw(seekHead(cuesPlace, infoPlace).bytes)
        writer.raw(info.bytes)
        writer.raw(entries.bytes)
        writer.raw(cues(clustersPlace).bytes)
        header = writer.bytes
        byteCount = UInt64(head) + content
        self.starts = starts
        self.samples = samples
        clusterSizes = sizes
    }

    /// What precedes the bytes of a sample: the head of its block, and before the first of a
    /// cluster that of the cluster.
    ///
    /// - Parameter cluster: the number of clusters begun; 0 at first.
    public func head(ofSample index: Int, cluster: inout Int) -> [UInt8] {
        var writer = ElementWriter()
        if cluster < starts.count, starts[cluster] == index {
            writer.id(.cluster)
            writer.length(Int(clusterSizes[cluster]) - Self.elementHeadBytes(ofID: 4))
            writer.unsigned(.timestamp, UInt64(max(0, samples[index].time)))
            cluster += 1
        }
        let base = max(0, samples[starts[max(0, cluster - 1)]].time)
        writer.block(
            samples[index].byteCount, of: samples[index].track,
            relative: samples[index].time - base, isKeyframe: samples[index].isKeyframe)
        return writer.bytes
    }

    private static func elementHeadBytes(ofID idBytes: Int) -> Int {
        idBytes + ElementWriter.lengthBytes
    }

    /// Id, length, and the timestamp's element.
    private static let clusterHeadBytes =
        elementHeadBytes(ofID: 4) + elementHeadBytes(ofID: 1) + 8
    private static let blockHeadBytes =
        elementHeadBytes(ofID: 1) + ElementWriter.blockHeadBytes

    private static func starts(
        _ samples: [Sample], _ isEntrance: (Sample) -> Bool
    ) -> [Int] {
        var starts: [Int] = []
        var bytes = 0
        for (index, sample) in samples.enumerated() {
            if let start = starts.last {
                let age = sample.time - samples[start].time
                let isLong = age >= clusterTimes.0 || bytes >= clusterBytes
                guard isEntrance(sample) && isLong || age >= clusterTimes.1 || age < -10_000
                else {
                    bytes += sample.byteCount
                    continue
                }
            }
            starts.append(index)
            bytes = sample.byteCount
        }
        return starts
    }
}
