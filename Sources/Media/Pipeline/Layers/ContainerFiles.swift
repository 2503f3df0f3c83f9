import Codec
import HLS
import MediaKernel
import Recording
import Streams

/// Where a container's files lie in the stream's directory.
///
/// Every stream has its main files, of which its recording is made. With `both`, fragments lie
/// beside them: a live window of their own, which costs at most
/// ``besideSegmentsMaximum`` segments of each layer on disk.
struct ContainerFiles: Hashable, Sendable {
    let format: SegmentFormat
    /// Whether these are not the stream's main files.
    var isBeside = false

    static let transportStream = ContainerFiles(format: .transportStream)

    /// Segments in the playlists of fragments beside the main files.
    static let besideWindow = 10
    /// Those, the ones kept for players that lag, and the newest one before the oldest goes.
    static let besideSegmentsMaximum = 2 * besideWindow + 3

    /// The fragments beside come first: once the stream's master playlist is there, theirs is too.
    static func all(of container: StreamContainer) -> [ContainerFiles] {
        switch container {
        case .transportStream: [.transportStream]
        case .fragments: [ContainerFiles(format: .fragments)]
        case .both: [ContainerFiles(format: .fragments, isBeside: true), .transportStream]
        }
    }

    var masterName: String {
        isBeside ? StreamContainer.besideMasterName : StreamFolder.masterName
    }

    func layerName(_ index: Int) -> String {
        isBeside ? StreamFolder.besideLayerName(index) : StreamFolder.layerName(index)
    }

    /// The layer's entry in the master playlist.
    func playlistPath(_ index: Int) -> String {
        "\(layerName(index))/\(StreamFolder.playlistName)"
    }

    /// Only fragments have parts.
    func planner(_ planner: SegmentPlanner) -> SegmentPlanner {
        guard format == .transportStream else { return planner }
        var planner = planner
        planner.partFrames = nil
        return planner
    }

    /// - Parameter mode: of the main playlists.
    func mode(_ mode: PlaylistMode) -> PlaylistMode {
        isBeside ? .live(window: Self.besideWindow) : mode
    }
}

/// What differs from container to container.
extension ContainerFiles {
    /// - Parameter video: nil for audio alone.
    func container(
        video: VideoStreamParameters?, audio: AudioStreamParameters
    ) throws(CodecError) -> any SegmentContainer {
        switch format {
        case .transportStream: try TransportStreamMuxer(video: video, audio: audio)
        case .fragments: try FragmentMuxer(video: video, audio: audio)
        }
    }

    func bitrate(of layer: Layer, _ planner: SegmentPlanner) -> any WireBitrate {
        let duration = planner.segmentDuration
        return switch format {
        case .transportStream:
            TransportStreamBitrate(layer: layer, segmentDuration: duration)
        case .fragments:
            FragmentBitrate(
                layer: layer, segmentDuration: duration, parts: planner.partsPerSegment)
        }
    }

    /// - Parameter bitrate: of the AAC, in bits per second.
    func bitrate(ofSound bitrate: Int, _ planner: SegmentPlanner) -> any WireBitrate {
        let duration = planner.segmentDuration
        return switch format {
        case .transportStream:
            TransportStreamBitrate(soundBitrate: bitrate, segmentDuration: duration)
        case .fragments:
            FragmentBitrate(
                soundBitrate: bitrate, segmentDuration: duration, parts: planner.partsPerSegment)
        }
    }
}
