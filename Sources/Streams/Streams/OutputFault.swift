/// Why a stream cannot be pushed somewhere: the rule, not the address.
public enum OutputFault: Hashable, Sendable, CustomStringConvertible {
    case withoutVideo
    /// The recording is of tracks alone.
    case withoutPicture
    case unknownLayer(count: Int)
    /// A host of a private network that the settings do not list.
    case hostNotAllowed(String)

    public var description: String {
        switch self {
        case .withoutVideo: "a stream without video is not pushed"
        case .withoutPicture: "a recording of tracks without the picture is not pushed"
        case .unknownLayer(let count): "layer is 0 to \(count - 1)"
        case .hostNotAllowed(let host):
            "\(host) is in a private network and not in stream.pushHosts"
        }
    }
}
