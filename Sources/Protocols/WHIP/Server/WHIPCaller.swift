/// The identity of a client, from its token and its URL.
public struct WHIPCaller: Hashable, Sendable {
    public var userID: String
    public var tokenID: String
    public var role: String
    /// The name that other peers see; if empty, they see the user's id.
    public var name: String
    /// The source of its video: `regular`, or another one such as `screen`.
    public var source: String

    public init(
        userID: String, tokenID: String, role: String, name: String = "",
        source: String = "regular"
    ) {
        self.userID = userID
        self.tokenID = tokenID
        self.role = role
        self.name = name
        self.source = source
    }
}
