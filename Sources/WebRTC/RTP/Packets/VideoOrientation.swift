/// How far a picture must be turned clockwise before it is shown, in degrees.
public enum VideoRotation: Int, Hashable, Sendable, CaseIterable {
    case none = 0
    case clockwise90 = 90
    case clockwise180 = 180
    case clockwise270 = 270
}

/// Which way up a picture is (coordination of video orientation). 3GPP TS 26.114 sect. 7.4.5.
///
/// ```
/// |0 0 0 0|C|F|R1 R0|
/// ```
public struct VideoOrientation: Hashable, Sendable {
    public var rotation: VideoRotation
    /// Mirror horizontally before turning.
    public var isFlipped: Bool
    /// Whether the picture comes from the camera at the back.
    public var isBackCamera: Bool

    public init(rotation: VideoRotation, isFlipped: Bool = false, isBackCamera: Bool = false) {
        self.rotation = rotation
        self.isFlipped = isFlipped
        self.isBackCamera = isBackCamera
    }

    /// Reads an element's value; nil when it has no bytes.
    public init?(extensionBytes bytes: ArraySlice<UInt8>) {
        guard let byte = bytes.first else { return nil }
        rotation =
            switch byte & 3 {
            case 0: .none
            case 1: .clockwise90
            case 2: .clockwise180
            default: .clockwise270
            }
        isFlipped = byte & 4 != 0
        isBackCamera = byte & 8 != 0
    }

    public var extensionBytes: [UInt8] {
        [UInt8(rotation.rawValue / 90) | (isFlipped ? 4 : 0) | (isBackCamera ? 8 : 0)]
    }
}
