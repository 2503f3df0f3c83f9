import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Addresses of webhook receivers.
public enum WebhookAddress {
    /// Whether it is a reachable http or https address, parsed as AsyncHTTPClient does.
    public static func isUsable(_ text: String) -> Bool {
        guard let parts = URL(string: text), let host = parts.host, !host.isEmpty else {
            return false
        }
        return (parts.scheme == "https" || parts.scheme == "http")
            && HTTPURL(text)?.canBeReached == true
    }
}
