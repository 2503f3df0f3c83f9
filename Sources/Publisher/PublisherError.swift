/// Why a file cannot be published as it was asked for.
public enum PublisherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file has neither picture nor sound that can be sent.
    case nothingToSend(path: String)
    /// Pictures are sent as they are in the file; these no WebRTC receiver would understand.
    case unsupportedVideo(codec: String, path: String)

    /// A step of the script that is none; see `Script.Step.init(parsing:)`.
    case badStep(String)
    /// A file that is played later has other codecs than the first, which were agreed upon.
    case differentCodecs(path: String)

    public var description: String {
        switch self {
        case .nothingToSend(let path): "\(path) has no picture and no sound"
        case .unsupportedVideo(let codec, let path):
            "\(path) holds \(codec) pictures; VP8, VP9, AV1 and H.264 without B-frames can be sent"
        case .badStep(let text):
            """
            '\(text)' is no step; SECONDS:ACTION with mute-audio, mute-video, unmute-audio, \
            unmute-video, unpublish, publish, break=SECONDS, play=FILE or rotate=DEGREES is
            """
        case .differentCodecs(let path): "\(path) has other codecs than the first file"
        }
    }
}
