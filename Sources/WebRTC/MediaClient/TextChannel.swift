import PeerConnection

/// The data channel that carries wishes and texts. A server may open others, which are not for us.
struct TextChannel {
    /// Nil for a protocol without one.
    private let label: String?
    private var handles: Set<ChannelHandle> = []

    init(label: String?) { self.label = label }

    /// - Returns: whether it can be used now, and could not before.
    mutating func opened(_ handle: ChannelHandle, label: String) -> Bool {
        guard label == self.label else { return false }
        return handles.insert(handle).inserted && handles.count == 1
    }

    mutating func closed(_ handle: ChannelHandle) { handles.remove(handle) }

    func carries(_ handle: ChannelHandle) -> Bool { handles.contains(handle) }
}
