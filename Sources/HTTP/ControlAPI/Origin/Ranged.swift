import HTTPTypes
import MediaKernel

/// The head of an answer with a resource that never changes, or with the requested part of it.
struct Ranged {
    var status = HTTPResponse.Status.ok
    var headers: HTTPFields
    /// The bytes of the body; nil for an answer without one.
    var range: Range<Int64>?

    /// - Parameters:
    ///   - headers: of the whole resource, with its entity tag.
    ///   - length: of the resource, in bytes.
    /// - Throws: 412.
    init(
        _ headers: HTTPFields, _ request: HTTPRequest, modified: UnixTime, length: Int64
    ) throws(APIError) {
        self.headers = headers
        let conditions = Preconditions(request, tag: headers[.eTag] ?? "", modified: modified)
        guard try Origin.isWanted(conditions) else {
            status = .notModified
            return
        }
        switch ByteRange(header: conditions.range, length: length) {
        case .whole: range = 0..<length
        case .part(let range):
            status = .partialContent
            self.headers[.contentRange] =
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
            self.range = range
        case .unsatisfiable:
            status = .rangeNotSatisfiable
            self.headers[.contentRange] = "bytes */\(length)"
            self.headers[.cacheControl] = "no-store"
        }
    }
}
