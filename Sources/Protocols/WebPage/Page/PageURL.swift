public import MediaKernel

/// A page's address as the browser opens it.
public enum PageURL {
    /// As given; a room page of 100ms' form is told to join at once, as 100ms' own bot does.
    public static func opened(_ address: WebAddress) -> String {
        let text = address.text
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = HTTPURL(text)?.path ?? "/"
        let isRoom = ["/meeting/", "/preview/", "/streaming/meeting/", "/streaming/preview/"]
            .contains { path.hasPrefix($0) && path.utf8.count > $0.utf8.count }
        guard isRoom, !text.contains("skip_preview=") else { return text }
        let joint = parts[0].contains("?") ? "&" : "?"
        let fragment = parts.count == 2 ? "#\(parts[1])" : ""
        return "\(parts[0])\(joint)skip_preview=true\(fragment)"
    }
}
