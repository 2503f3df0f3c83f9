public import HundredMSTerms

/// The kind of client, which determines the error numbers and words that it understands.
public enum ClientKind: Hashable, Sendable {
    /// A browser, and any client without this information.
    case web
    /// 100ms' library for Android or iOS, or Flutter's, which is based on it.
    case native
    /// React Native's, which is also based on it. Only its documentation lists 100ms' five-digit
    /// numbers.
    case reactNative

    /// From `user_agent_v2`: `key:value` pairs with commas in between; `sdk` names the library, and
    /// `framework` one that is based on it.
    public init(userAgent: String) {
        let fields = userAgent.lowercased().split(separator: ",").map(String.init)
        guard fields.contains("sdk:android") || fields.contains("sdk:ios") else {
            self = .web
            return
        }
        self = fields.contains("framework:react-native") ? .reactNative : .native
    }

    /// The number for this client in place of a three-digit code.
    public func code(_ code: Int, _ number: ErrorNumber?) -> Int {
        switch self {
        case .web, .native: code
        case .reactNative: number?.rawValue ?? code
        }
    }

    /// Whether this client knows a video codec's name. 100ms' native libraries know three.
    func knows(codec: String) -> Bool {
        switch self {
        case .web: true
        case .native, .reactNative: ["vp8", "vp9", "h264"].contains(codec)
        }
    }
}
