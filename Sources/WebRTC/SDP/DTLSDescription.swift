/// What a section says about DTLS. RFC 8122, RFC 8842.
public struct DTLSDescription: Hashable, Sendable {
    public var fingerprints: [Fingerprint]
    public var setup: DTLSSetup?

    public init(fingerprints: [Fingerprint] = [], setup: DTLSSetup? = nil) {
        self.fingerprints = fingerprints
        self.setup = setup
    }

    var attributes: [String] {
        var lines = fingerprints.map { "fingerprint:\($0.algorithm) \($0.value)" }
        if let setup { lines.append("setup:\(setup.rawValue)") }
        return lines
    }
}
