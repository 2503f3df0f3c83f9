/// Which numbers a client understands.
public enum ClientKind: Hashable, Sendable {
    /// A browser, and whoever says nothing.
    case web
    /// 100ms' library for Android or iOS, or one that stands on it.
    case native

    /// From `user_agent_v2`: `key:value` with commas in between, of which `sdk` names the library.
    public init(userAgent: String) {
        let isNative = userAgent.split(separator: ",").contains { field in
            ["sdk:android", "sdk:ios"].contains(field.lowercased())
        }
        self = isNative ? .native : .web
    }

    /// What this client is told instead of a three-digit code.
    public func code(_ code: Int, _ number: ErrorNumber?) -> Int {
        switch self {
        case .web: code
        case .native: number?.rawValue ?? code
        }
    }
}
