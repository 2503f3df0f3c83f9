public import MediaKernel

/// Why a frame cannot be read at all.
public enum FrameFault: Hashable, Sendable {
    case json(JSONFault)
    case notAnObject
    case noMethod

    public var words: String {
        switch self {
        case .json(let fault): "\(fault)"
        case .notAnObject: "the frame must be an object"
        case .noMethod: "no method"
        }
    }
}
