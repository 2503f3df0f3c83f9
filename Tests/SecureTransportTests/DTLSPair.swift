import MediaKernel
import SecureTransport

/// Two transports connected in memory. All outputs except datagrams are kept in order.
final class DTLSPair {
    enum Side: Hashable { case client, server }

    let client: DTLSTransport
    let server: DTLSTransport
    var now = Instant.zero
    private(set) var clientOutputs: [DTLSTransport.Output] = []
    private(set) var serverOutputs: [DTLSTransport.Output] = []
    private(set) var datagrams: [(from: Side, bytes: [UInt8])] = []

    init(
        clientProfiles: [SRTPProfile] = SRTPProfile.allCases,
        serverProfiles: [SRTPProfile] = SRTPProfile.allCases,
        clientExpects: (algorithm: String, value: String)? = nil,
        serverExpects: (algorithm: String, value: String)? = nil
    ) throws {
        let clientIdentity = try DTLSIdentity.generate()
        let serverIdentity = try DTLSIdentity.generate()
        client = try DTLSTransport(
            identity: clientIdentity, role: .client,
            remoteFingerprints: [clientExpects ?? ("sha-256", serverIdentity.fingerprint)],
            profiles: clientProfiles)
        server = try DTLSTransport(
            identity: serverIdentity, role: .server,
            remoteFingerprints: [serverExpects ?? ("sha-256", clientIdentity.fingerprint)],
            profiles: serverProfiles)
    }

    /// A pair whose handshake is complete.
    static func connected(_ profiles: [SRTPProfile] = SRTPProfile.allCases) throws -> DTLSPair {
        let pair = try DTLSPair(clientProfiles: profiles, serverProfiles: profiles)
        pair.start()
        pair.exchange()
        return pair
    }

    func start() {
        server.start(at: now)
        client.start(at: now)
    }

    /// Carries datagrams in both directions until neither side has one. `network` may change or
    /// drop them.
    func exchange(
        _ network: (Side, [UInt8]) -> [UInt8]? = { _, datagram in datagram }
    ) {
        var isMoving = true
        while isMoving {
            isMoving = false
            while let output = client.poll() {
                isMoving = true
                guard case .transmit(let bytes) = output else {
                    clientOutputs.append(output)
                    continue
                }
                datagrams.append((.client, bytes))
                if let bytes = network(.client, bytes) { server.handle(bytes, at: now) }
            }
            while let output = server.poll() {
                isMoving = true
                guard case .transmit(let bytes) = output else {
                    serverOutputs.append(output)
                    continue
                }
                datagrams.append((.server, bytes))
                if let bytes = network(.server, bytes) { client.handle(bytes, at: now) }
            }
        }
    }
}

/// An RTP packet of version 2, payload type 96, without extensions.
func rtpPacket(sequence: UInt16, ssrc: UInt32 = 0x0102_0304, payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt8(0x80))
    writer.write(UInt8(96))
    writer.write(sequence)
    writer.write(UInt32(sequence) &* 3000)
    writer.write(ssrc)
    writer.write(payload)
    return writer.bytes
}

/// A receiver report without report blocks (RFC 3550 sect. 6.4.2).
func receiverReport(ssrc: UInt32) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt8(0x80))
    writer.write(UInt8(201))
    writer.write(UInt16(1))
    writer.write(ssrc)
    return writer.bytes
}
