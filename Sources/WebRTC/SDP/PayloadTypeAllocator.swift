/// Gives out payload types for the offers of one connection.
///
/// The sections of a BUNDLE group share one space: a number means the same format in each
/// (RFC 9143 sect. 9.1), and keeps its meaning for the connection's life (RFC 3264 sect. 8.3.2).
public struct PayloadTypeAllocator: Sendable {
    /// A format without its number; feedback does not distinguish formats.
    private struct Format: Hashable, Sendable {
        var name: String
        var clockRate: Int
        var channels: Int?
        var parameters: FormatParameters
    }

    private var assigned: [Format: UInt8] = [:]
    private var free: [UInt8]

    /// The dynamic range of RFC 3551 first, then the types that RFC 5761 sect. 4 leaves below
    /// RTCP's.
    public init() { free = Array(96...127) + Array(35...63) }

    /// The payload type of this format, ignoring its own `payloadType`: the one it had before, or a
    /// free one; nil if all 61 are used.
    public mutating func payloadType(for codec: CodecDescription) -> UInt8? {
        let format = Format(
            name: codec.name.lowercased(), clockRate: codec.clockRate, channels: codec.channels,
            parameters: codec.parameters)
        if let known = assigned[format] { return known }
        guard !free.isEmpty else { return nil }
        let payloadType = free.removeFirst()
        assigned[format] = payloadType
        return payloadType
    }

    /// Takes over a payload type that the remote side's offer gives to a format: it means the same
    /// in all sections of the bundle.
    public mutating func note(_ codec: CodecDescription) {
        guard let index = free.firstIndex(of: codec.payloadType) else { return }
        free.remove(at: index)
        let format = Format(
            name: codec.name.lowercased(), clockRate: codec.clockRate, channels: codec.channels,
            parameters: codec.parameters)
        if assigned[format] == nil { assigned[format] = codec.payloadType }
    }

    /// The same format under this connection's payload type, followed by its retransmissions if
    /// wanted. Empty if the numbers are used up.
    public mutating func descriptions(
        for codec: CodecDescription, withRetransmission: Bool
    ) -> [CodecDescription] {
        guard let payloadType = payloadType(for: codec) else { return [] }
        var codec = codec
        codec.payloadType = payloadType
        guard withRetransmission else { return [codec] }
        var retransmission = CodecDescription.retransmission(
            payloadType: 0, of: payloadType, clockRate: codec.clockRate)
        guard let number = self.payloadType(for: retransmission) else { return [codec] }
        retransmission.payloadType = number
        return [codec, retransmission]
    }

    /// An offer to send in all capabilities of one kind, in their order.
    public mutating func descriptions(
        offering capabilities: [CodecCapability], kind: MediaSection.Kind
    ) -> [CodecDescription] {
        capabilities.filter { $0.kind == kind }.flatMap { capability in
            descriptions(
                for: capability.offer, withRetransmission: capability.allowsRetransmission)
        }
    }

    /// An offer to receive in all capabilities of one kind, in their order.
    public mutating func descriptions(
        receiving capabilities: [CodecCapability], kind: MediaSection.Kind
    ) -> [CodecDescription] {
        capabilities.filter { $0.kind == kind }.flatMap { capability in
            capability.receivable.flatMap { format in
                descriptions(for: format, withRetransmission: capability.allowsRetransmission)
            }
        }
    }
}

extension CodecCapability {
    /// The profiles of H.264 that encoders of cameras and browsers use, best known first.
    private static let usualProfiles: [H264Profile] = [
        .constrainedBaseline, .baseline, .main, .constrainedHigh, .high,
    ]

    /// The formats to offer to receive. A profile of H.264 is symmetric, so each that is taken is
    /// a format of its own; what is sent in another one would be left out. RFC 6184 sect. 8.2.2.
    var receivable: [CodecDescription] {
        guard case .h264(_, let profiles) = rule else { return [offer] }
        let format = offer
        return Self.usualProfiles.filter { profiles?.contains($0) ?? true }.map { profile in
            var format = format
            format.parameters["profile-level-id"] = profile.idAtLevel31
            return format
        }
    }

    /// The format to offer, without a payload type of its own yet. A rule that takes any H.264
    /// profile offers Constrained Baseline, which everyone decodes.
    var offer: CodecDescription {
        var parameters = parameters
        switch rule {
        case .nameOnly: break
        case .h264(let packetizationMode, let profiles):
            parameters["level-asymmetry-allowed"] = "1"
            parameters["packetization-mode"] = String(packetizationMode)
            parameters["profile-level-id"] = Self.offeredProfile(of: profiles)
        case .vp9(let profile):
            parameters["profile-id"] = String(profile)
        case .av1(let profile):
            // Level 3.1 (index 5) at main tier, as browsers state it.
            parameters["level-idx"] = "5"
            parameters["profile"] = String(profile)
            parameters["tier"] = "0"
        }
        return CodecDescription(
            payloadType: 0, name: name, clockRate: clockRate, channels: channels,
            parameters: parameters, feedback: feedback)
    }

    private static func offeredProfile(of profiles: Set<H264Profile>?) -> String {
        let offered = profiles.flatMap { profiles in usualProfiles.first(where: profiles.contains) }
        return (offered ?? .constrainedBaseline).idAtLevel31
    }
}
