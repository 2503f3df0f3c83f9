/// Why a file cannot be published as requested.
public enum PublisherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not exist, or cannot be played.
    case unreadable(path: String, reason: String)
    /// The file has neither pictures nor sound that can be sent.
    case nothingToSend(path: String)
    /// Pictures are sent unchanged, and WebRTC receivers do not understand these.
    case unsupportedVideo(codec: String, path: String)

    /// An invalid step of the script; see `Script.Step.init(parsing:)`.
    case badStep(String)
    /// A later file, or a layer, has other codecs than the first, which were negotiated.
    case differentCodecs(path: String)
    /// More layers than there are names for.
    case tooManyLayers(maximum: Int)
    /// A layer is not as long as the first file, so they would not stay together.
    case differentLength(path: String)
    /// Layers are given best first, and this one has no fewer pixels than the one before.
    case notSmaller(path: String)
    /// A file to be shared as a screen has no video.
    case noScreen(path: String)
    /// One file cannot replace several layers.
    case playsWithoutLayers(path: String)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be played: \(reason)"
        case .nothingToSend(let path): "\(path) has no picture and no sound"
        case .unsupportedVideo(let codec, let path):
            "\(path) holds \(codec) pictures; VP8, VP9, AV1 and H.264 without B-frames can be sent"
        case .badStep(let text):
            """
            '\(text)' is no step; SECONDS:ACTION with mute-audio, mute-video, unmute-audio, \
            unmute-video, unpublish, publish, break=SECONDS, play=FILE, rotate=DEGREES or \
            layers=NUMBER is
            """
        case .differentCodecs(let path): "\(path) has other codecs than the first file"
        case .tooManyLayers(let maximum): "a video has at most \(maximum) layers, itself included"
        case .differentLength(let path): "\(path) is not as long as the first file"
        case .notSmaller(let path): "\(path) is not smaller than the layer before; best first"
        case .noScreen(let path): "\(path) has no picture that could be shared as a screen"
        case .playsWithoutLayers(let path):
            "\(path) cannot take the place of a video with layers"
        }
    }
}
