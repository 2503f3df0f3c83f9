public import Codec
public import MediaKernel
public import Stage

/// How a picture must be turned to stand upright.
public enum FrameRotation: Int, Hashable, Sendable, CaseIterable {
    case none = 0
    case clockwise90 = 90
    case clockwise180 = 180
    case clockwise270 = 270

    /// Whether width and height change places.
    var isSideways: Bool { self == .clockwise90 || self == .clockwise270 }
}

/// What stands in one rectangle of the canvas.
public struct PlacedFrame: Sendable {
    public var rectangle: Rectangle
    public var fit: TileFit
    /// nil shows the peer's placeholder: its colour, initials and name.
    public var frame: VideoFrame?
    public var rotation: FrameRotation
    public var peer: PeerID
    public var name: String

    public init(
        rectangle: Rectangle, fit: TileFit, frame: VideoFrame?, rotation: FrameRotation = .none,
        peer: PeerID = "", name: String = ""
    ) {
        self.rectangle = rectangle
        self.fit = fit
        self.frame = frame
        self.rotation = rotation
        self.peer = peer
        self.name = name
    }
}
