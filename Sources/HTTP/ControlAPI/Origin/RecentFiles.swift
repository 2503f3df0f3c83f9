import HTTPTypes
import MediaKernel
import NIOCore
import Synchronization

/// What viewers fetched a moment ago, of all streams, to be given to the next ones on their
/// connections' event loops. The routes fill it.
///
/// A file that never changes is kept for half a minute; a playlist for some milliseconds, which is
/// many requests of a thousand viewers. When the bytes are used up, the oldest is dropped. What is
/// removed from the disk before it could get old is forgotten at once.
final class RecentFiles: Sendable {
    static let bytesMaximum = 64 * 1024 * 1024
    static let entriesMaximum = 4096
    /// Longer files are read in pieces, and not kept; nor are longer playlists.
    static let fileBytesMaximum = 4 * 1024 * 1024
    static let textBytesMaximum = 256 * 1024
    /// Of files that are kept, and of those that slow viewers have not taken yet. Beyond it, files
    /// are read in pieces.
    static let heldBytesMaximum = 2 * bytesMaximum
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

        /// Its entity tag.
        var tag: String? {
            switch self {
            case .file(let file): file.headers[.eTag]
            case .text(let text): text.tag
            }
        }
    }

    /// When a file was opened for what is kept of it.
    struct Moment: Sendable {
        fileprivate let time: Instant
        fileprivate let removals: Int
    }

    fileprivate struct Entry {
        let content: Content
        let expiry: Instant
        /// Of the file.
        let modified: UnixTime?
        let number: Int
    }

    fileprivate struct Place {
        let name: String
        let number: Int
    }

    fileprivate struct State {
        var entries: [String: Entry] = [:]
        /// Files, and playlists, in the order in which they were kept, which is that of their
        /// expiry. What was kept again has several places, of which the last counts.
        var files = CircularBuffer<Place>()
        var texts = CircularBuffer<Place>()
        var lastNumber = 0
        var byteCount = 0
        var removals = 0
    }

    let held = EdgeMemory(maximum: heldBytesMaximum)
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

    var now: Moment {
        let time = clock()
        return Moment(time: time, removals: state.withLock { $0.removals })
    }

    /// Also one that may be out of date.
    func latest(_ name: String) -> Content? { state.withLock { $0.entries[name]?.content } }

    /// - Parameters:
    ///   - modified: when its file was. A newer one stays.
    ///   - moment: before its file was opened; nil for just now. Its age counts from then: a thread
    ///     that the disk held up brings nothing old back.
    func keep(
        _ content: Content, named name: String, modified: UnixTime? = nil,
        since moment: Moment? = nil
    ) {
        let lifetime =
            switch content {
            case .file: Self.fileLifetime
            case .text: Self.textLifetime
            }
        let now = clock()
        let expiry = (moment?.time ?? now) + lifetime
        guard expiry > now else { return }
        state.withLock { state in
            guard moment.map({ $0.removals == state.removals }) ?? true else { return }
            if let modified, let old = state.entries[name], old.expiry > now,
                let newest = old.modified, newest > modified
            {
                return
            }
            state.add(content, named: name, expiry: expiry, modified: modified)
            state.trim(at: now)
        }
    }

    /// The directory has been removed. What is being read meanwhile is not kept either.
    func forget(below directory: String) {
        state.withLock { state in
            state.removals += 1
            for name in state.entries.keys where name.hasPrefix(directory + "/") {
                state.remove(name)
            }
        }
    }

    /// A playlist's name in a form.
    static func name(_ path: String, isGzip: Bool) -> String { isGzip ? path + "|gz" : path }
}

extension RecentFiles.State {
    fileprivate mutating func add(
        _ content: RecentFiles.Content, named name: String, expiry: Instant, modified: UnixTime?
    ) {
        remove(name)
        lastNumber += 1
        entries[name] = RecentFiles.Entry(
            content: content, expiry: expiry, modified: modified, number: lastNumber)
        byteCount += content.byteCount
        let place = RecentFiles.Place(name: name, number: lastNumber)
        switch content {
        case .file: files.append(place)
        case .text: texts.append(place)
        }
    }

    fileprivate mutating func remove(_ name: String) {
        byteCount -= entries.removeValue(forKey: name)?.content.byteCount ?? 0
    }

    /// Drops what is out of date, and then the oldest until the rest fits.
    fileprivate mutating func trim(at now: Instant) {
        while let first = files.first, isOver(first, at: now) { drop(files.removeFirst()) }
        while let first = texts.first, isOver(first, at: now) { drop(texts.removeFirst()) }
        while byteCount > RecentFiles.bytesMaximum || entries.count > RecentFiles.entriesMaximum {
            switch (files.first?.number, texts.first?.number) {
            case (let file?, let text?) where file > text: drop(texts.removeFirst())
            case (_?, _): drop(files.removeFirst())
            case (nil, _?): drop(texts.removeFirst())
            case (nil, nil): return
            }
        }
    }

    /// A playlist stays for a moment longer: it may turn out to be the newest still.
    private func isOver(_ place: RecentFiles.Place, at now: Instant) -> Bool {
        guard let entry = entries[place.name], entry.number == place.number else { return true }
        return entry.expiry + RecentFiles.textLifetime < now
    }

    private mutating func drop(_ place: RecentFiles.Place) {
        if entries[place.name]?.number == place.number { remove(place.name) }
    }
}
