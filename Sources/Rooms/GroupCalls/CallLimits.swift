/// The limits of what callers say about group calls.
public enum CallLimits {
    /// Custom items of a call.
    public static let items = 20
    /// In bytes of UTF-8.
    public static let itemKeyBytes = 128
    public static let itemValueBytes = 1024
    /// In bytes of UTF-8: the id of a user. As many as a token holds.
    public static let userBytes = 255
    /// In bytes: the address of an image.
    public static let addressBytes = 2048
    /// Invitations of a call that wait for an answer.
    public static let pendingInvitations = 100
    /// How long an invitation waits for an answer, in seconds.
    public static let invitationSeconds = 5...86_400
    public static let invitationSecondsDefault = 60
    /// How long an invitation can be looked up after its deadline.
    public static let invitationKept: Duration = .seconds(86_400)
    /// Ids, and creators, in the filter of a list.
    public static let listed = 100
    /// In bytes: the token of a list's next page.
    public static let tokenBytes = 256
}
