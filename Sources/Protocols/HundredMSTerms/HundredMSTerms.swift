/// The names that 100ms' clients and its server API share.
public enum HundredMSTerms {
    /// The role in which a room is recorded. Roomcast hides it: 100ms' clients leave its peers out
    /// of their lists.
    public static let recorderRole = "__internal_recorder"

    /// The group of the peers with a raised hand.
    public static let raisedHand = "_handraise"

    /// The rids of a simulcast, best first: full, half and quarter size.
    public static let rids = ["f", "h", "q"]
}
