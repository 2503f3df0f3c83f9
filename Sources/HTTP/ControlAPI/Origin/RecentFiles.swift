import MediaKernel
import NIOCore
import Synchronization

/// What viewers fetched a moment ago, of all streams, to be given to the next ones on their
/// connections' event loops. The routes fill it.
///
/// A file that never changes is kept for half a minute, so that a deleted one does not stay for
/// long; a playlist for some milliseconds, which is many requests of a thousand viewers. When the
/// bytes are used up, the oldest is dropped.
final class RecentFiles: Sendable {
    static let bytesMaximum = 64 * 1024 * 1024
    static let entriesMaximum = 4096
    /// Longer files are read in pieces, and not kept; nor are longer playlists.
    static let fileBytesMaximum = 4 * 1024 * 1024
    static let textBytesMaximum = 256 * 1024
    static let fileLifetime: Duration = .seconds(30)
    static let textLifetime: Duration = .milliseconds(50)

    enum Content: Sendable {
        case file(EdgeFile)
        case text(EdgeText)

        var byteCount: Int {
            switch self {
            case .file(let file): file.bytes.readableBytes
            case .text(let text): text.bytes.readableBytes
            }
        }
    }

    private struct Entry {
        let content: Content
        let expiry: Instant
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var order = CircularBuffer<String>()
        var byteCount = 0
    }

    private let clock: @Sendable () -> Instant
    private let state = Mutex(State())

    /// - Parameter clock: the monotonic one.
    init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }

    /// - Parameter name: of a file, or of a form of a playlist.
    subscript(name: String) -> Content? {
        let now = clock()
        return state.withLock { state in
            guard let entry = state.entries[name], entry.expiry > now else { return nil }
            return entry.content
        }
    }

    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Also one that may be out of date.
    func latest(_ name: String) -> Content? { state.withLock { $0.entries[name]?.content } }

    func keep(_ content: Content, named name: String) {
        let lifetime =
            switch content {
            case .file: Self.fileLifetime
            case .text: Self.textLifetime
            }
        let now = clock()
        let entry = Entry(content: content, expiry: now + lifetime)
        state.withLock { state in
            if let old = state.entries.updateValue(entry, forKey: name) {
                state.byteCount -= old.content.byteCount
            } else {
                state.order.append(name)
            }
            state.byteCount += content.byteCount
            while let oldest = state.order.first,
                state.byteCount > Self.bytesMaximum || state.order.count > Self.entriesMaximum
                    || state.entries[oldest].map({ $0.expiry + Self.textLifetime < now }) ?? true
            {
                state.order.removeFirst()
                state.byteCount -= state.entries.removeValue(forKey: oldest)?.content.byteCount ?? 0
            }
        }
    }

    /// A playlist's name in a form.
    static func name(_ path: String, isGzip: Bool) -> String { isGzip ? path + "|gz" : path }
}
