internal import Foundation
public import MediaKernel

/// A conference on a Jitsi deployment, in the form of a meeting URL: `jitsi:https://host/Room`, as
/// participants have it in their browsers. Where its servers are, and what admits us, is in the
/// settings.
public struct JitsiSource: Hashable, Sendable {
    /// The scheme that precedes the page's own.
    public static let scheme = "jitsi:"
    /// Of the room's name, in bytes, as it is in addresses of XMPP.
    private static let roomBytesMaximum = 512

    /// The page of the conference.
    public let address: WebAddress
    /// The room's name as the servers know it: Jitsi Meet's `getBackendSafeRoomName`.
    public let room: String
    /// The customer of a deployment that has several; nil for none.
    public let tenant: String?

    /// Whether a meeting URL is meant to name a conference, valid or not.
    public static func isMeant(by meetingURL: String) -> Bool {
        meetingURL.prefix(scheme.count).lowercased() == scheme
    }

    /// Nil if the URL is no conference, or is malformed. It has no query and no fragment: a token
    /// has no place there, since meeting URLs are shown and logged.
    public init?(meetingURL: String) {
        guard Self.isMeant(by: meetingURL),
            let address = WebAddress(String(meetingURL.dropFirst(Self.scheme.count))),
            !address.text.contains(where: { "?#@".contains($0) })
        else { return nil }
        // The scheme, nothing, the host, and the path.
        let path = address.text.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        guard 1...2 ~= path.count, let last = path.last, let room = Self.roomName(last) else {
            return nil
        }
        let tenant = path.count == 2 ? path.first?.lowercased() : nil
        guard tenant.map(Self.isTenant) ?? true else { return nil }
        self.address = address
        self.room = room
        self.tenant = tenant
    }

    /// By which the settings name the deployment: the host, with a port if it is not the scheme's
    /// own.
    public var deployment: String { address.host + (address.port.map { ":\($0)" } ?? "") }

    var shown: String { Self.scheme + address.text }

    /// It is a part of domains.
    private static func isTenant(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || "-_".utf8.contains($0)
            }
    }

    private static func roomName(_ segment: Substring) -> String? {
        guard let decoded = String(segment).removingPercentEncoding else { return nil }
        let name = decoded.precomposedStringWithCompatibilityMapping.lowercased()
        // Of `encodeURIComponent`, without the apostrophe, which addresses of XMPP exclude.
        let kept = Set("abcdefghijklmnopqrstuvwxyz0123456789-_.!~*()".utf8)
        var text = ""
        for byte in name.utf8 {
            guard byte != UInt8(ascii: "'"), byte != 0 else { return nil }
            text +=
                kept.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.text([byte])
        }
        return (1...roomBytesMaximum).contains(text.utf8.count) ? text : nil
    }
}
