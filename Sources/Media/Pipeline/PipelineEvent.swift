public import MediaKernel
public import Stage
public import Streams

/// A track that the stream leaves out however much CPU there is.
public struct LeftOutTrack: Hashable, Sendable {
    public var track: TrackID
    public var peer: PeerID
    /// Of the peer.
    public var name: String
    /// For people: `the video is 4096x2304, larger than 3840x2160`.
    public var reason: String
}

/// An event that a pipeline reports to its owner.
public enum PipelineEvent: Sendable {
    /// The decoder of a track needs a key frame to go on.
    case keyframeNeeded(TrackID)
    /// A track is left out: it cannot be decoded, or its pictures cannot be used.
    case undecodable(TrackID, SourceCodec, reason: String)
    /// All tracks that are left out, at every change.
    case tracksLeftOut([LeftOutTrack])
    /// Every layer has made progress since the last report, however slowly.
    case atWork
    /// A segment can be fetched.
    case segmentPublished(layer: Int, index: Int, bytes: Int)
    /// A part of a segment can be fetched; each layer's come in their order.
    case partPublished(SegmentPart)
    /// The playlist of a layer's fragments, which have parts, lists a segment.
    case segmentListed(layer: Int, segment: Int)
    /// Pictures per second in the top layer's newest segment, whatever was planned. Not reported
    /// for an audio-only stream.
    case frameRateMeasured(Double)
    /// The first segment of every layer can be fetched, and so can the master playlist.
    case running
    /// The places on the top layer, in its pixels; the further tiles whose videos are needed,
    /// because they are fading out or will be shown once they have a picture; and all available
    /// videos. Sent whenever one of them changes.
    case tilesChanged([PlacedTile], besides: [PlacedTile], among: Set<TrackID>)
    /// The CPU is short, or no longer short: this part of the pictures is left out by plan.
    case reductionChanged(Reduction)
    /// A layer has lost pictures without a plan; the total so far, including planned ones.
    case framesDropped(layer: Int, total: Int)
    /// The CPU is even shorter, or no longer: this many videos are not decoded until their turn to
    /// come back.
    case videosLeftOut(Int)
    /// The machine's wall clock was set by this much, positive to a later time: segments' dates go
    /// on as before.
    case wallClockStepped(Duration)
    /// The stream was behind for good and has skipped this much of its time, sound and picture.
    case leftOut(Duration)
    /// More input came than could be processed; the total so far.
    case inputOverflow(framesDropped: Int)
    /// An output's state or its figures.
    case push(PushReport)
    /// The stream cannot go on. Everything written so far remains.
    case failed(PipelineFailure)
}

/// A peer's rectangle on the top layer.
public struct PlacedTile: Hashable, Sendable {
    public var peer: PeerID
    /// The video that fills it; nil without one.
    public var track: TrackID?
    public var name: String
    public var rectangle: Rectangle
    public var fit: TileFit
    /// Whether the video is rotated by 90 or 270 degrees, so that its width and height are
    /// exchanged.
    public var isSideways: Bool

    public init(
        peer: PeerID, track: TrackID?, name: String, rectangle: Rectangle, fit: TileFit,
        isSideways: Bool = false
    ) {
        self.peer = peer
        self.track = track
        self.name = name
        self.rectangle = rectangle
        self.fit = fit
        self.isSideways = isSideways
    }
}

/// The totals of a stream.
public struct PipelineSummary: Sendable, Hashable {
    /// Segments of the top layer, including those of earlier runs of the same stream.
    public var segments: Int
    /// Frames composed in this run.
    public var frames: Int64
    /// Pictures left out for lack of CPU, over all layers.
    public var framesDropped: Int

    public init(segments: Int, frames: Int64, framesDropped: Int) {
        self.segments = segments
        self.frames = frames
        self.framesDropped = framesDropped
    }
}

/// Why a stream cannot begin or go on.
public enum PipelineError: Error, Hashable, Sendable, CustomStringConvertible {
    case settings(String)
    /// A system call on a file failed.
    case file(path: String, call: String, code: Int32, reason: String)

    public var description: String {
        switch self {
        case .settings(let what): what
        case .file(let path, let call, _, let reason): "\(call) \(path): \(reason)"
        }
    }
}
