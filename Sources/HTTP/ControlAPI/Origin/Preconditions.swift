import HTTPTypes
import MediaKernel

/// The conditions of a request, in the order of RFC 9110 sect. 13.2.2.
struct Preconditions {
    enum Verdict {
        case holds
        /// 304: the client has this version.
        case notModified
        /// 412: the client has another version.
        case failed
    }

    private let request: HTTPRequest
    private let tag: String
    private let modified: UnixTime?

    /// - Parameters:
    ///   - tag: the answer's entity tag, a strong one.
    ///   - modified: nil for content that may change twice in a second, for which dates are too
    ///     coarse.
    init(_ request: HTTPRequest, tag: String, modified: UnixTime? = nil) {
        self.request = request
        self.tag = tag
        self.modified = modified.map { UnixTime(seconds: $0.seconds) }
    }

    var verdict: Verdict {
        if let tags = request.headerFields[.ifMatch] {
            guard Self.matches(tags, tag, isWeak: false) else { return .failed }
        } else if let modified, let date = date(.ifUnmodifiedSince), modified > date {
            return .failed
        }
        guard request.method == .get || request.method == .head else { return .holds }
        if let tags = request.headerFields[.ifNoneMatch] {
            return Self.matches(tags, tag, isWeak: true) ? .notModified : .holds
        }
        guard let modified, let date = date(.ifModifiedSince), modified <= date else {
            return .holds
        }
        return .notModified
    }

    /// The requested range, as written; nil for the whole. A part is only useful to a client that
    /// has the rest of the same version (sect. 13.1.5), and only GET has parts (sect. 14.2).
    var range: String? {
        guard request.method == .get else { return nil }
        if let condition = request.headerFields[.ifRange], condition != tag {
            guard let modified, HTTPDate.time(condition) == modified else { return nil }
        }
        return request.headerFields[.range]
    }

    private func date(_ name: HTTPField.Name) -> UnixTime? {
        request.headerFields[name].flatMap { HTTPDate.time($0) }
    }

    /// - Parameter isWeak: whether a weak tag in the list counts as well (sect. 8.8.3.2).
    private static func matches(_ list: String, _ tag: String, isWeak: Bool) -> Bool {
        list.split(separator: ",").contains { candidate in
            let name = String(candidate.filter { $0 != " " && $0 != "\t" })
            return name == "*" || name == tag || isWeak && name == "W/\(tag)"
        }
    }
}

extension HTTPRequest {
    /// Whether it may get less than the whole resource.
    var isConditional: Bool {
        headerFields.contains {
            $0.name.canonicalName.hasPrefix("if-") || $0.name.canonicalName == "range"
        }
    }
}
