public import MediaKernel

/// What a client asks of other peers, when its role permits it.
extension SignallingClient {
    /// Gives a peer another role, or asks it to take one.
    @discardableResult
    public mutating func changeRole(
        of peer: PeerID, to role: String, isForced: Bool
    ) -> RequestID {
        call(
            .roleChangeRequest,
            RoleChangeRequestParameters(requestedFor: peer, role: role, force: isForced))
    }

    /// Gives another role to everybody of some roles.
    @discardableResult
    public mutating func changeRole(ofRoles roles: [String], to role: String) -> RequestID {
        call(.roleChangeRequest, RoleChangeRequestParameters(roles: roles, role: role, force: true))
    }

    /// Takes a role that we were asked to take. The new policy follows.
    @discardableResult
    public mutating func acceptRole(_ offer: RoleOfferPayload) -> RequestID {
        call(.roleChange, offer)
    }
}
