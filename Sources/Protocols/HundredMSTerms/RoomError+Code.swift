public import Rooms

/// The codes of a room's refusals (`docs/PROTOCOL.md` section 10).
extension RoomError {
    /// The status in the server API, and the code of JSON-RPC errors and `on-error`. It has three
    /// digits: the web client only interprets 404, 410, 421, 429 and 5xx, retries on 429 and 5xx, and
    /// shows the rest. Clients on React Native get ``number`` instead, if there is one.
    public var code: Int {
        switch kind {
        case .invalid: 400
        case .forbidden: 403
        case .unknown: 404
        case .conflict: 409
        case .gone: 410
        case .tooFrequent: 429
        case .broken: 500
        }
    }

    /// 100ms' own number, if it has one.
    public var number: ErrorNumber? {
        switch self {
        case .alreadyJoined: .alreadyJoined
        case .peerGone: .peerGone
        case .otherRoom: .otherRoom
        default: nil
        }
    }
}
