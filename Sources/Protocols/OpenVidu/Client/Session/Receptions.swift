internal import MediaClient
internal import MediaKernel
internal import PeerConnection

/// The receptions of a session, by stream. What has to be known of all of them is counted as they
/// change, since much happens to each while a full session is joined.
struct Receptions {
    private var all: [String: Reception] = [:]
    private var streams: [StreamConnectionID: String] = [:]
    /// Streams that may be due, in the order in which they begin. Some are not, or are gone.
    private var queue: [String] = []
    private var queueTaken = 0
    /// How many connections are being set up.
    private(set) var openings = 0
    /// Of those that are not left out: how many are received, and how many never had to be waited
    /// for.
    private(set) var connected = 0
    private(set) var undisturbed = 0

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }
    var values: some Collection<Reception> { all.values }

    /// In the order of their names, so that equal sessions give equal orders.
    var names: [String] { all.keys.sorted() }

    subscript(stream: String) -> Reception? {
        get { all[stream] }
        set {
            let before = all[stream]
            all[stream] = newValue
            count(before, -1)
            count(newValue, 1)
            if let connection = before?.connection, connection != newValue?.connection {
                streams[connection] = nil
            }
            if let connection = newValue?.connection { streams[connection] = stream }
            if let newValue, newValue.phase != before?.phase, case .waiting = newValue.phase {
                queue.append(stream)
            }
        }
    }

    func stream(on connection: StreamConnectionID) -> String? { streams[connection] }

    /// The next stream that may be due; nil if there is none.
    mutating func takeNext() -> Reception? {
        while queueTaken < queue.count {
            queueTaken += 1
            if let reception = all[queue[queueTaken - 1]] { return reception }
        }
        queue.removeAll(keepingCapacity: true)
        queueTaken = 0
        return nil
    }

    /// Finds what has become due meanwhile. Those that were left out come last.
    mutating func findDue(at now: Instant) {
        queue = all.values.filter { $0.isDue(at: now) }
            .sorted { ($0.isLeftOut ? 1 : 0, $0.number) < ($1.isLeftOut ? 1 : 0, $1.number) }
            .map(\.stream)
        queueTaken = 0
    }

    private mutating func count(_ reception: Reception?, _ change: Int) {
        guard let reception else { return }
        if reception.isOpening { openings += change }
        guard !reception.isLeftOut else { return }
        if reception.state == .connected { connected += change }
        if reception.disconnectedSince == nil { undisturbed += change }
    }
}
