internal import HundredMSTerms
internal import Rooms

extension Peer {
    /// Its groups, sorted. A raised hand is one of them.
    var wireGroups: [String] {
        isHandRaised ? (groups + [HundredMSTerms.raisedHand]).sorted() : groups
    }
}
