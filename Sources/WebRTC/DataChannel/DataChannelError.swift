/// Errors of data channels, with the party at fault.
public enum DataChannelError: Error, Hashable, Sendable {
    // The association ends (our fault unless stated).

    /// A call into usrsctp failed; the number is its errno (us).
    case sctp(call: String, errno: Int32)
    /// The peer aborted, or stopped answering; the number is SCTP's error cause, if any (peer).
    case associationLost(cause: UInt16)
    /// The peer shut the association down (peer).
    case shutDownByPeer
    /// The peer began a second association on the same path, which WebRTC forbids (peer).
    case restarted
    /// The peer sent a message over the maximum we announced (peer).
    case receivedMessageTooLong(maximum: Int)
    /// A message was delivered in parts, which is not safe with this SCTP stack (us).
    case partialDelivery
    /// Received messages were not polled, or channels were opened and closed faster than they
    /// could be confirmed (caller or peer).
    case overflow

    // One call fails (caller).

    /// The transport was closed or has failed.
    case closed
    /// No such channel, or it is closing.
    case noChannel(ChannelID)
    /// The channels or the ids of our side are used up.
    case tooManyChannels(maximum: Int)
    /// A label or protocol is longer than a peer has to accept.
    case nameTooLong(bytes: Int, maximum: Int)
    case messageTooLong(bytes: Int, maximum: Int)
    /// The peer does not read as fast as we send. Nothing was queued: try later, or give up.
    case queueFull(bytes: Int, maximum: Int)
}
