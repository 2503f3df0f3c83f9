import HTTPTypes
import MediaKernel
import NIOCore
import Synchronization

/// Counts who watches each stream: whoever asks for its media playlists, as players do every few
/// seconds while they play.
///
/// There are no cookies, and no address is kept: a viewer is a number made of its address and its
/// player's name with a key that is forgotten after a day. Viewers behind a cache are not seen, and
/// those who share an address and have the same player count as one.
final class ViewerCensus: Sendable {
    /// Whoever has asked in this window or the one before watches now. The longest segments last
    /// 10 s, and players ask once for each.
    static let window: Duration = .seconds(15)
    static let keyLifetime: Duration = .seconds(86_400)
    /// Counted for each stream in a window.
    static let viewersMaximum = 100_000
    static let streamsMaximum = 1024

    struct Count: Hashable, Sendable, Encodable {
        var now = 0
        /// The highest `now` since the server started.
        var peak = 0
    }

    fileprivate struct State {
        var key = Self.freshKey
        var keySince: Instant?
        /// By the stream's place, `<room>/<id>`.
        var streams: [Substring: Audience] = [:]
        /// When those who are gone were last forgotten.
        var tidied = Instant.zero

        static var freshKey: (UInt64, UInt64) {
            (.random(in: .min ... .max), .random(in: .min ... .max))
        }
    }

    private let clock: @Sendable () -> Instant
    private let state = Mutex(State())

    /// - Parameter clock: the monotonic one.
    init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }

    /// A request was answered.
    ///
    /// - Parameters:
    ///   - path: of the file that it named, below the output directory.
    ///   - address: of its connection, which is looked up for playlists only.
    func answered(
        _ request: HTTPRequest, for path: String, from address: @autoclosure () -> SocketAddress?
    ) {
        guard request.method == .get, let stream = Self.stream(ofMediaPlaylist: path) else {
            return
        }
        let caller = GuessGate.caller(of: request.headerFields, from: address())
        let player = request.headerFields[.userAgent] ?? ""
        let now = clock()
        state.withLock { state in
            state.renewKey(at: now)
            state.tidy(at: now)
            if state.streams[stream] == nil {
                guard state.streams.count < Self.streamsMaximum else { return }
            }
            var hasher = Hasher()
            hasher.combine(state.key.0)
            hasher.combine(state.key.1)
            hasher.combine(caller)
            hasher.combine(player)
            state.streams[stream, default: Audience(at: now)].add(hasher.finalize(), at: now)
        }
    }

    /// Who watches a stream.
    func count(of stream: String, in room: String) -> Count {
        let now = clock()
        return state.withLock { $0.streams["\(room)/\(stream)"]?.count(at: now) ?? Count() }
    }

    /// Who watches any stream.
    var total: Int {
        let now = clock()
        return state.withLock { state in
            state.streams.values.reduce(0) { $0 + $1.count(at: now).now }
        }
    }

    /// `<room>/<id>` of `<room>/<id>/<layer>/<name>.m3u8`; nil for every other path. A master
    /// playlist is asked for once, also by what only looks.
    static func stream(ofMediaPlaylist path: String) -> Substring? {
        guard path.hasSuffix(".m3u8") else { return nil }
        let slash = UInt8(ascii: "/")
        guard let room = path.utf8.firstIndex(of: slash),
            let stream = path.utf8[path.utf8.index(after: room)...].firstIndex(of: slash),
            path.utf8[path.utf8.index(after: stream)...].contains(slash)
        else { return nil }
        return path[..<stream]
    }
}

extension ViewerCensus: MetricsSource {
    func metrics() -> [Metric] {
        let now = clock()
        let counts = state.withLock { state in
            state.streams.compactMap { place, audience in
                let count = audience.count(at: now).now
                return count > 0 ? (place: place, viewers: count) : nil
            }
        }
        let most = counts.sorted { ($1.viewers, $0.place) < ($0.viewers, $1.place) }
            .prefix(Metric.sampledMaximum)
        return [
            Metric(
                .gauge, "roomcast_viewers", help: "Viewers of all streams.",
                Double(counts.reduce(0) { $0 + $1.viewers })),
            Metric(
                .gauge, "roomcast_stream_viewers",
                help: "Viewers of the most watched streams.",
                samples: most.map { place, viewers in
                    let parts = place.split(separator: "/")
                    return Metric.Sample(
                        labels: [
                            Metric.Label("room", String(parts[0])),
                            Metric.Label("stream", String(parts[1])),
                        ], value: Double(viewers))
                }),
        ]
    }
}

/// The viewers of one stream.
private struct Audience {
    private var began: Instant
    private var previous: Set<Int> = []
    private var current: Set<Int> = []
    /// Those of `current` that are not in `previous`.
    private var added = 0
    private var peak = 0

    init(at now: Instant) { began = now }

    mutating func add(_ viewer: Int, at now: Instant) {
        turn(at: now)
        guard current.count < ViewerCensus.viewersMaximum, current.insert(viewer).inserted else {
            return
        }
        if !previous.contains(viewer) { added += 1 }
        peak = max(peak, previous.count + added)
    }

    func count(at now: Instant) -> ViewerCensus.Count {
        var copy = self
        copy.turn(at: now)
        return ViewerCensus.Count(now: copy.previous.count + copy.added, peak: peak)
    }

    /// The key has changed: nobody can be recognized.
    mutating func forget() {
        previous = []
        current = []
        added = 0
    }

    mutating func turn(at now: Instant) {
        let windows = (now - began) / ViewerCensus.window
        guard windows >= 1 else { return }
        previous = windows < 2 ? current : []
        current = []
        added = 0
        began = windows < 2 ? began + ViewerCensus.window : now
    }
}

extension ViewerCensus.State {
    mutating func renewKey(at now: Instant) {
        let since = keySince ?? now
        keySince = since
        guard now - since >= ViewerCensus.keyLifetime else { return }
        (key, keySince) = (Self.freshKey, now)
        for stream in streams.keys { streams[stream]?.forget() }
    }

    /// Forgets the viewers who are gone and, where places are scarce, the streams without viewers:
    /// once in a window, however many ask.
    mutating func tidy(at now: Instant) {
        guard now - tidied >= ViewerCensus.window else { return }
        tidied = now
        for stream in streams.keys { streams[stream]?.turn(at: now) }
        guard streams.count >= ViewerCensus.streamsMaximum else { return }
        streams = streams.filter { $0.value.count(at: now).now > 0 }
    }
}
