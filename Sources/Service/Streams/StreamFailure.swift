import Catalogue
import Glibc
import Rooms

/// Why a stream failed. Its record keeps that in words; what peers are told has a code as well, that
/// of the status of HTTP which says the same (docs/ERRORS.md).
enum StreamFailure {
    static let mark = CatalogueStream.failureMark
    static let withoutAssets = "the assets cannot be made: "
    static let standstill = "the bot did not get ready, or stood still"
    static let notStarted = "the bot cannot be started: "
    /// What a bot says that opens no encoder for a layer.
    private static let notEncoded = "the stream cannot be encoded: "
    private static let diskFull = String(cString: strerror(ENOSPC))

    static func told(_ reason: String?) -> StreamingFailure {
        let reason = reason ?? "failure"
        return StreamingFailure(code: code(of: reason), message: reason)
    }

    private static func code(of reason: String) -> Int {
        let words = reason.trimmingPrefix(mark)
        if words.contains(diskFull) { return 507 }
        if words.contains(notEncoded) { return 422 }
        if words.hasPrefix(standstill) { return 504 }
        if reason == CatalogueStream.restarted || words.hasPrefix(notStarted) { return 503 }
        return 500
    }
}
