public import MediaServer

/// `tcp.*`: the port of the media for clients without UDP.
public struct TCPSettings: Hashable, Sendable {
    public var port = MediaServerConfiguration.TCPPort.sameAsUDP
    /// IP addresses at which clients reach the port; empty for those of the UDP port.
    public var advertisedAddresses: [String] = []
    /// Concurrent connections to the port.
    public var linksMaximum = MediaServerConfiguration.tcpLinksMaximum

    /// The port's number; nil without one.
    func number(besideUDP udpPort: Int) -> Int? {
        switch port {
        case .none: nil
        case .sameAsUDP: udpPort
        case .number(let number): number
        }
    }

    mutating func read(_ source: SettingsSource) throws(SettingsError) {
        if let number = try source.port(.tcpPort) {
            port = number == 0 ? .none : .number(number)
        }
        advertisedAddresses = try source.addresses(.tcpAdvertisedAddresses)
    }
}
