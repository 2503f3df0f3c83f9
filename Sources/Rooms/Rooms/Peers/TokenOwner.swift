/// The identity in a token: a peer comes back with the token that it joined with. Peers' ids are
/// public, and anyone with a room code gets a token in any user's name.
public struct TokenOwner: Hashable, Sendable {
    private let userID: String
    private let tokenID: String

    public init(userID: String, tokenID: String) {
        self.userID = userID
        self.tokenID = tokenID
    }

    /// A token without an identity matches none.
    public func isSame(as other: TokenOwner) -> Bool { self == other && !isNobody }

    var isNobody: Bool { (userID + tokenID).isEmpty }
}
