public import MediaKernel
public import Stage

/// A track that the stream does without, whatever CPU there is.
public struct LeftOutTrack: Hashable, Sendable {
    public var track: TrackID
    public var peer: PeerID
    /// Of the peer.
    public var name: String
    /// For people: `the video is 4096x2304, larger than 3840x2160`.
    public var reason: String
}

/// What a pipeline tells its owner.
public enum PipelineEvent: Sendable {
    /// The decoder of a track needs a key frame to go on.
    case keyframeNeeded(TrackID)
    /// A track is left out: nothing here can decode it, or what comes of it.
    case undecodable(TrackID, SourceCodec, reason: String)
    /// All of these that there are, with whose they are, at every change.
    case tracksLeftOut([LeftOutTrack])
    /// Every layer has got on since this was told last, however slowly.
    case atWork
    /// A segment can be fetched.
    case segmentPublished(layer: Int, index: Int, bytes: Int)
    /// Pictures a second in the top layer's newest segment, whatever was planned. Not told where
    /// there is only sound.
    case frameRateMeasured(Double)
    /// The first segment of every layer can be fetched, and so can the master playlist.
    case running
    /// Who is where on the top layer, in its pixels; what is needed besides, because it is on its
    /// way out of its place or will have one once there is a picture of it; and the videos that
    /// were there to choose from. Comes at every change of any.
    case tilesChanged([PlacedTile], besides: [PlacedTile], among: Set<TrackID>)
    /// The CPU is short, or is not any more: this much of the picture is left out by plan.
    case reductionChanged(Reduction)
    /// Pictures were left out of a layer without a plan; the total so far, planned ones included.
    case framesDropped(layer: Int, total: Int)
    /// The CPU is shorter than that, or is not any more: so many videos are not decoded, until it is
    /// their turn to come back.
    case videosLeftOut(Int)
    /// The machine's wall clock was set by so much, to a later time above zero: segments' dates go on
    /// as before.
    case wallClockStepped(Duration)
    /// The stream was behind for good and has left out so much of its time, sound and picture.
    case leftOut(Duration)
    /// More came in than could be taken; the total so far.
    case inputOverflow(framesDropped: Int)
    /// The stream cannot go on. What was written stands.
    case failed(PipelineFailure)
}

/// A peer's rectangle on the top layer.
public struct PlacedTile: Hashable, Sendable {
    public var peer: PeerID
    /// The video that fills it; nil where there is none to show.
    public var track: TrackID?
    public var name: String
    public var rectangle: Rectangle
    public var fit: TileFit
    /// Whether the video's width and height change places in it: it comes lying on its side.
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

/// What came of a stream.
public struct PipelineSummary: Sendable, Hashable {
    /// Segments of the top layer, those of an earlier run of the same stream included.
    public var segments: Int
    /// Frames composed in this run.
    public var frames: Int64
    /// Pictures left out for want of CPU, over all layers.
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
