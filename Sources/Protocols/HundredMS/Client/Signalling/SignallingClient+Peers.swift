public import MediaKernel

/// Groups, and the search for peers.
extension SignallingClient {
    /// The group ``HundredMSTerms/HundredMSTerms/raisedHand`` raises our hand.
    @discardableResult
    public mutating func joinGroup(_ name: String) -> RequestID {
        call(.groupJoin, GroupParameters(name: name))
    }

    @discardableResult
    public mutating func leaveGroup(_ name: String) -> RequestID {
        call(.groupLeave, GroupParameters(name: name))
    }

    /// Puts another peer into a group.
    @discardableResult
    public mutating func addToGroup(_ name: String, peer: PeerID) -> RequestID {
        call(.groupAdd, PeerGroupParameters(name: name, peerID: peer))
    }

    /// Removes another peer from a group: lowers its hand, for instance.
    @discardableResult
    public mutating func removeFromGroup(_ name: String, peer: PeerID) -> RequestID {
        call(.groupRemove, PeerGroupParameters(name: name, peerID: peer))
    }

    /// Searches for peers by a part of their names, ignoring case.
    ///
    /// - Parameter offset: how many to skip.
    @discardableResult
    public mutating func searchPeers(
        _ query: String, limit: Int? = nil, offset: Int? = nil
    ) -> RequestID {
        call(
            .peerNameSearch,
            PeerSearchParameters(query: query, limit: limit, offset: offset))
    }
}
