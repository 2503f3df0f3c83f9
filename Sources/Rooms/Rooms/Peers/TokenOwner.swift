/// Whom a token names: a peer comes back with the one it joined with. Everybody knows its ids, and
/// whoever has a room's code gets a token in any user's name.
public struct TokenOwner: Hashable, Sendable {
    private let userID: String
    private let tokenID: String

    public init(userID: String, tokenID: String) {
        self.userID = userID
        self.tokenID = tokenID
    }

    /// A token that names nobody is nobody's.
    public func isSame(as other: TokenOwner) -> Bool { self == other && !isNobody }

    var isNobody: Bool { (userID + tokenID).isEmpty }
}
