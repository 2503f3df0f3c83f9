import MediaKernel

/// The server half of an agent: validates requests and creates answers.
struct STUNResponder: Sendable {
    /// What a valid request proved.
    struct Access {
        /// The password of the request, which also protects the answer. RFC 8489 sect. 9.1.4.
        let password: String
        /// False for the credentials from before the latest restart.
        let isCurrent: Bool
    }

    private struct Previous: Sendable {
        let credentials: ICECredentials
        let expiry: Instant
    }

    let authenticator: any MessageAuthenticator
    private(set) var local: ICECredentials
    private var previous: Previous?

    init(local: ICECredentials, authenticator: any MessageAuthenticator) {
        self.local = local
        self.authenticator = authenticator
    }

    /// Sets new credentials. The old ones stay valid for a while, since the other side uses them to
    /// keep its old path alive until it has our description.
    mutating func renew(_ credentials: ICECredentials, at now: Instant) {
        guard credentials != local else { return }
        previous = Previous(
            credentials: local, expiry: now + ICETiming.previousCredentialsLife)
        local = credentials
    }

    /// Admits a request that proves knowledge of our password. If it has unknown required
    /// attributes, it is answered with 420 (RFC 8489 sect. 6.3.1). Other requests get no answer, so
    /// that nobody can make us send to a forged source address.
    ///
    /// - Throws: `missingCredentials`, `unknownUsername`, `wrongPassword`, `unknownAttributes`.
    func admit(
        _ request: STUNMessage, from source: TransportAddress, at now: Instant,
        _ outbox: inout Outbox
    ) throws(ICEError) -> Access {
        guard let username = request.username, request.hasIntegrity else {
            throw .missingCredentials
        }
        // Compare only our half: a check may arrive before the other side's description.
        guard let fragment = STUNMessage.halves(ofUsername: username)?.local else {
            throw .unknownUsername
        }
        let access: Access
        if fragment == local.usernameFragment {
            access = Access(password: local.password, isCurrent: true)
        } else if let previous, previous.expiry > now,
            fragment == previous.credentials.usernameFragment
        {
            access = Access(password: previous.credentials.password, isCurrent: false)
        } else {
            throw .unknownUsername
        }
        guard request.isAuthentic(password: access.password, by: authenticator) else {
            throw .wrongPassword
        }
        let unknown = request.attributes.filter { $0.isUnknownButRequired }.map { $0.type }
        guard unknown.isEmpty else {
            let attributes: [STUNAttribute] = [
                .errorCode(420, reason: "Unknown Attribute"), .unknownAttributes(unknown),
            ]
            outbox.transmit(answer(.error, to: request, attributes, access), to: source)
            throw .unknownAttributes(unknown)
        }
        return access
    }

    func success(
        to request: STUNMessage, from source: TransportAddress, _ access: Access
    ) -> [UInt8] {
        answer(.success, to: request, [.xorMappedAddress(source)], access)
    }

    /// RFC 8445 sect. 7.3.1.1.
    func roleConflict(to request: STUNMessage, _ access: Access) -> [UInt8] {
        answer(.error, to: request, [.errorCode(487, reason: "Role Conflict")], access)
    }

    private func answer(
        _ class: STUNMessage.Class, to request: STUNMessage, _ attributes: [STUNAttribute],
        _ access: Access
    ) -> [UInt8] {
        STUNMessage(`class`, transaction: request.transaction, attributes: attributes)
            .serialized(password: access.password, by: authenticator)
    }
}
