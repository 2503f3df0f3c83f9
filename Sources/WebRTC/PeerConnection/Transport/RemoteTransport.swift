import ICE
public import MediaKernel
import SDP
import SecureTransport

/// The parameters of the bundled transport in a remote description.
struct RemoteTransport {
    let credentials: ICECredentials
    let fingerprints: [Fingerprint]
    let setup: DTLSSetup
    let candidates: [String]

    /// Candidates taken from one description.
    static let candidatesMaximum = 64

    init(of description: SessionDescription) throws(PeerConnectionError) {
        let live = description.media.filter { !$0.isRejected }
        // The first section of the bundle counts for all. RFC 9143 sect. 7.2.
        let tag = description.bundledMIDs.first
        guard let section = live.first(where: { $0.mid == tag }) ?? live.first else {
            throw .missing("section that is in use")
        }
        guard let fragment = section.ice.usernameFragment, let password = section.ice.password
        else {
            throw .missing("a=ice-ufrag and a=ice-pwd")
        }
        guard !section.dtls.fingerprints.isEmpty else { throw .missing("a=fingerprint") }
        credentials = ICECredentials(usernameFragment: fragment, password: password)
        fingerprints = section.dtls.fingerprints
        setup = section.dtls.setup ?? .actpass
        candidates = Array(live.flatMap(\.ice.candidates).prefix(Self.candidatesMaximum))
    }
}

extension PeerConnection {
    /// Configures ICE and DTLS for the remote side. This is the only part of a negotiation that can
    /// fail after the sections are validated, so it comes first and changes nothing if it throws.
    func apply(
        _ remote: RemoteTransport, isAnswer: Bool, at now: Instant
    ) throws(PeerConnectionError) {
        if let known = security.remoteFingerprints {
            guard known == remote.fingerprints else { throw .changedFingerprint }
        } else {
            let role = try remote.setup.role(isAnswer: isAnswer, isLite: configuration.mode.isLite)
            do throws(SecureTransportError) {
                security.dtls = try DTLSTransport(
                    identity: configuration.identity, role: role,
                    remoteFingerprints: remote.fingerprints.map { ($0.algorithm, $0.value) })
            } catch {
                throw .transport(String(describing: error))
            }
            security.role = role
            security.remoteFingerprints = remote.fingerprints
        }
        if let known = connectivity.remoteCredentials, known != remote.credentials, !isAnswer {
            // RFC 8445 sect. 9: an answer to a restart carries fresh credentials too.
            connectivity.agent.restart(local: Self.freshCredentials(), at: now)
        }
        if connectivity.remoteCredentials != remote.credentials {
            connectivity.remoteCredentials = remote.credentials
            connectivity.agent.setRemote(remote.credentials, at: now)
        }
        for candidate in remote.candidates { addRemoteCandidate(candidate, at: now) }
    }

    /// Adds a trickled candidate, with or without the `a=` prefix. Unusable ones (mDNS, TCP,
    /// another component) are ignored silently, as RFC 8838 asks.
    public func addRemoteCandidate(_ text: String, at now: Instant) {
        let text = text.hasPrefix("a=") ? String(text.dropFirst(2)) : text
        guard let candidate = try? ICECandidate(parsing: text) else { return }
        connectivity.agent.addRemoteCandidate(candidate, at: now)
        settleICE(at: now)
    }

    /// Our description for the current negotiation.
    func describe(setup: DTLSSetup) -> SessionDescription {
        var description = SessionDescription(
            origin: Origin(
                sessionID: configuration.seed >> 2, sessionVersion: negotiation.takeVersion()))
        description.isICELite = configuration.mode.isLite
        description.attributes = [SDPAttribute("msid-semantic", "WMS *")]
        description.allowsMixedExtensions = false
        let credentials = connectivity.agent.localCredentials
        description.bundledMIDs = sections.filter { !$0.isRejected }.map(\.mid)
        for section in sections {
            var media = section.local
            if !section.isRejected {
                media.ice.usernameFragment = credentials.usernameFragment
                media.ice.password = credentials.password
                media.ice.options = ["trickle"]
                media.dtls.fingerprints = [
                    Fingerprint(
                        algorithm: "sha-256", value: configuration.identity.fingerprint)
                ]
                media.dtls.setup = setup
            }
            if section.mid == description.bundledMIDs.first {
                // The bundle has one transport, described in its first section. RFC 9143 sect.
                // 7.1.3.
                media.ice.candidates = connectivity.agent.localCandidates.map { $0.rendered() }
                media.ice.hasEndOfCandidates = true
            }
            description.media.append(media)
        }
        return description
    }
}

extension DTLSSetup {
    /// Our role, given the remote side's wish.
    /// RFC 8842 sect. 5.3: the offer says "either", the answerer chooses. A lite server answers
    /// passive, so that the browser begins as soon as its check succeeds.
    ///
    /// - Parameter isAnswer: whether it is part of an answer to us.
    fileprivate func role(
        isAnswer: Bool, isLite: Bool
    ) throws(PeerConnectionError) -> DTLSTransport.Role {
        switch self {
        case .active: return .server
        case .passive: return .client
        case .actpass where !isAnswer:
            return isLite ? .server : .client
        case .actpass, .holdconn:
            throw .malformedDescription("a=setup:\(rawValue) is no answer")
        }
    }
}

extension ICEAgent.Mode {
    fileprivate var isLite: Bool {
        if case .lite = self { return true }
        return false
    }
}
