public import XMPP

/// A meeting as its participants know it.
public struct MeetingAddress: Hashable, Sendable {
    /// The last part of the address: the room's name.
    public let name: String
    /// Of a deployment for several customers; empty without.
    public let tenant: String
    /// What opens the meeting in a browser.
    public let url: String

    /// The room `x@conference.a.meet.example` is the meeting `https://meet.example/a/x`, if
    /// `conference.` is what the operator takes out of rooms' domains.
    public init(room: JID, in environment: JibriEnvironment) {
        name = room.local ?? ""
        // Domains of addresses are in small letters.
        var domain = room.domain
        let prefix = environment.roomDomainPrefix.lowercased()
        if !prefix.isEmpty, let range = domain.firstRange(of: prefix) {
            domain.removeSubrange(range)
        }
        // A room of another domain is one of the deployment's all the same: Jicofo sent it.
        let main = domain.firstRange(of: environment.domain.lowercased())
        var tenant = domain[..<(main?.lowerBound ?? domain.startIndex)]
        while tenant.first == "." { tenant.removeFirst() }
        while tenant.last == "." { tenant.removeLast() }
        self.tenant = String(tenant)
        let base = environment.baseURL ?? "https://\(environment.domain)"
        url = ([base] + (tenant.isEmpty ? [] : [self.tenant]) + [name]).joined(separator: "/")
    }
}
