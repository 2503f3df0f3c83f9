extension CodecDescription {
    /// Whether a decoder of this format decodes the bitstream of the other one, in the same
    /// packets. Payload types and sizes of pictures are not compared.
    public func decodes(_ other: CodecDescription) -> Bool {
        guard isNamed(other.name), clockRate == other.clockRate,
            (channels ?? 1) == (other.channels ?? 1)
        else { return false }
        func agrees(on parameter: String) -> Bool {
            (parameters[parameter] ?? "0") == (other.parameters[parameter] ?? "0")
        }
        switch name.lowercased() {
        // RFC 6184 sect. 8.2.2: the mode and the profile are symmetric, the level is not.
        case "h264":
            return agrees(on: "packetization-mode")
                && H264ProfileLevel(of: self)?.profile == H264ProfileLevel(of: other)?.profile
        case "vp9": return agrees(on: "profile-id")
        case "av1": return agrees(on: "profile")
        default: return true
        }
    }
}
