/// Who sends, as seen by the side that wrote the description. RFC 8866 sect. 6.7.
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
    case sendReceive = "sendrecv"
    case sendOnly = "sendonly"
    case receiveOnly = "recvonly"
    case inactive

    public init(sends: Bool, receives: Bool) {
        switch (sends, receives) {
        case (true, true): self = .sendReceive
        case (true, false): self = .sendOnly
        case (false, true): self = .receiveOnly
        case (false, false): self = .inactive
        }
    }

    /// The writer sends.
    public var sends: Bool { self == .sendReceive || self == .sendOnly }
    /// The writer receives.
    public var receives: Bool { self == .sendReceive || self == .receiveOnly }

    /// The same direction from the other side's point of view.
    public var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }

    /// The answer to this offered direction, given the answerer's wishes. RFC 3264 sect. 6.1.
    public func answer(sends: Bool, receives: Bool) -> MediaDirection {
        MediaDirection(sends: sends && self.receives, receives: receives && self.sends)
    }
}
