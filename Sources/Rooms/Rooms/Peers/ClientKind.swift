/// Which numbers and words a client understands.
public enum ClientKind: Hashable, Sendable {
    /// A browser, and whoever says nothing.
    case web
    /// 100ms' library for Android or iOS, or Flutter's, which stands on it.
    case native
    /// React Native's, which stands on it too. Of all of them its documentation alone lists 100ms'
    /// numbers of five digits.
    case reactNative

    /// From `user_agent_v2`: `key:value` with commas in between, of which `sdk` names the library,
    /// and `framework` what stands on it.
    public init(userAgent: String) {
        let fields = userAgent.lowercased().split(separator: ",").map(String.init)
        guard fields.contains("sdk:android") || fields.contains("sdk:ios") else {
            self = .web
            return
        }
        self = fields.contains("framework:react-native") ? .reactNative : .native
    }

    /// What this client is told instead of a three-digit code.
    public func code(_ code: Int, _ number: ErrorNumber?) -> Int {
        switch self {
        case .web, .native: code
        case .reactNative: number?.rawValue ?? code
        }
    }

    /// Whether this client has a word for a video's codec. 100ms' native libraries have three.
    func knows(codec: String) -> Bool {
        switch self {
        case .web: true
        case .native, .reactNative: ["vp8", "vp9", "h264"].contains(codec)
        }
    }
}
