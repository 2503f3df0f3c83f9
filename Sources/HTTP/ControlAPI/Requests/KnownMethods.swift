import HTTPTypes
import Hummingbird
import Synchronization

/// The methods of every path that there is, to tell a wrong method from a wrong path.
final class KnownMethods: Sendable {
    private struct Path {
        /// As in routes: `{…}` is any one part, `**` the rest, however long.
        let parts: [Substring]
        let methods: Set<HTTPRequest.Method>

        func fits(_ other: [Substring]) -> Bool {
            for (index, part) in parts.enumerated() {
                if part == "**" { return index < other.count }
                guard index < other.count, part.first == "{" || part == other[index] else {
                    return false
                }
            }
            return parts.count == other.count
        }
    }

    private let paths = Mutex<[Path]>([])

    /// Learns all routes of a router.
    func learn(_ router: Router<some RequestContext>) {
        var methods: [String: Set<HTTPRequest.Method>] = [:]
        for route in router.routes {
            methods[route.path.description, default: []].insert(route.method)
            // The router adds it to each.
            if route.method == .get { methods[route.path.description]?.insert(.head) }
        }
        let all = methods.map { Path(parts: $0.split(separator: "/"), methods: $1) }
        // The more exact ones first, as in the router.
        let sorted = all.sorted {
            Self.vagueness($0.parts).lexicographicallyPrecedes(Self.vagueness($1.parts))
        }
        paths.withLock { $0 = sorted }
    }

    /// - Returns: the methods of a path, sorted; nil if there is no such path.
    func methods(of path: String) -> [String]? {
        let parts = path.split(separator: "/")
        let found = paths.withLock { $0.first { $0.fits(parts) } }
        return found?.methods.map(\.rawValue).sorted()
    }

    private static func vagueness(_ parts: [Substring]) -> [Int] {
        parts.map { $0 == "**" ? 2 : $0.first == "{" ? 1 : 0 }
    }
}
