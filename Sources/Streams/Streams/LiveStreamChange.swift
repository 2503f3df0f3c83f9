public import MediaKernel

/// A change to a stream on air. Nil fields stay unchanged.
public struct LiveStreamChange: Hashable, Sendable {
    /// The peers that are to be heard.
    public enum Roles: Hashable, Sendable {
        case everybody
        /// Only these roles of the policy.
        case only([String])

        /// The roles as in `LiveStreamAudio`.
        public var names: [String]? {
            switch self {
            case .everybody: nil
            case .only(let names): names
            }
        }
    }

    /// The layout fields to change, unchecked; null resets a field to its default.
    public var layout: JSONValue?
    public var roles: Roles?

    public init(layout: JSONValue? = nil, roles: Roles? = nil) {
        self.layout = layout
        self.roles = roles
    }
}
