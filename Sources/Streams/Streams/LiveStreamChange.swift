public import MediaKernel

/// What is to be different about a stream on air. What is nil stays as it is.
public struct LiveStreamChange: Hashable, Sendable {
    /// Whose sound there is to be.
    public enum Roles: Hashable, Sendable {
        case everybody
        /// Of the policy's roles, these.
        case only([String])

        /// As `LiveStreamAudio` has it.
        public var names: [String]? {
            switch self {
            case .everybody: nil
            case .only(let names): names
            }
        }
    }

    /// The fields of the layout that are to change, not checked yet; null puts one back to its
    /// default.
    public var layout: JSONValue?
    public var roles: Roles?

    public init(layout: JSONValue? = nil, roles: Roles? = nil) {
        self.layout = layout
        self.roles = roles
    }
}
