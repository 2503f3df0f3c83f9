import Foundation
import MediaKernel

/// The browser's own preferences, a file of its profile.
///
/// WebRTC sends datagrams, which no proxy sees. So the browser gives sockets for them to our own
/// document and to the hosts that the operator lists, and to no other document, whichever frame,
/// window or worker it has. Others may use WebRTC over TCP, by way of the guard.
enum BrowserPreferences {
    /// Below the profile.
    static let path = "Default/Preferences"

    private static let forbidden = "disable_non_proxied_udp"
    private static let allowed = "default"

    static func bytes(hosts: WebHosts) -> [UInt8] {
        // The first that matches decides.
        let rules = [rule(SenderPage.origin, allowed)] + rules(for: hosts)
        let webRTC: [String: JSONValue] = [
            "ip_handling_policy": .string(forbidden), "ip_handling_url": .array(rules),
        ]
        let preferences = JSONValue.object(["webrtc": .object(webRTC)])
        return Array((try? JSONEncoder().encode(preferences)) ?? Data())
    }

    private static func rules(for hosts: WebHosts) -> [JSONValue] {
        let names = hosts.names.map { $0.lowercased() }
        let wildcards = names.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst(2)) }
        let exact = names.filter { !$0.hasPrefix("*.") }
        // A pattern of the browser for all hosts below one includes that one.
        return exact.flatMap { origins($0).map { rule($0, allowed) } }
            + wildcards.flatMap { origins($0).map { rule($0, forbidden) } }
            + wildcards.flatMap { origins($0, below: "[*.]").map { rule($0, allowed) } }
    }

    /// - Parameter name: without a port it means the scheme's own.
    private static func origins(_ name: String, below: String = "") -> [String] {
        ["https", "http"].map { scheme in
            let port = WebAddress.standardPort(isSecure: scheme == "https")
            return "\(scheme)://\(below)\(name)" + (name.contains(":") ? "" : ":\(port)")
        }
    }

    private static func rule(_ pattern: String, _ handling: String) -> JSONValue {
        .object(["url": .string(pattern), "handling": .string(handling)])
    }
}
