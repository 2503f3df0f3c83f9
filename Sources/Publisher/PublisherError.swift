/// Why a file cannot be published.
public enum PublisherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file has neither picture nor sound that can be sent.
    case nothingToSend(path: String)
    /// Pictures are sent as they are in the file; these no WebRTC receiver would understand.
    case unsupportedVideo(codec: String, path: String)

    public var description: String {
        switch self {
        case .nothingToSend(let path): "\(path) has no picture and no sound"
        case .unsupportedVideo(let codec, let path):
            "\(path) holds \(codec) pictures; VP8, VP9, AV1 and H.264 without B-frames can be sent"
        }
    }
}
