import MediaKernel

/// Decides when a page is ready to be shown, when it is loaded anew, and when it is given up. Facts
/// with their times in, orders out; no browser and no clock.
struct PageWatch: Sendable {
    struct Rules: Hashable, Sendable {
        /// Whether the page says when it is ready.
        var awaitsSignal = false
        /// For each attempt to load the page.
        var patience: Duration = .seconds(30)
        /// After the first paint, for a page that never stops loading.
        var quietPatience: Duration = .seconds(10)
        /// After an answer that may be another one soon.
        var retryDelay: Duration = .seconds(3)
        /// How often a page that is shown may crash or hang within `crashWindow`.
        var crashesMaximum = 3
        var crashWindow: Duration = .seconds(600)
        /// How long a page that is shown may not react to the browser.
        var hangPatience: Duration = .seconds(20)
    }

    enum Fact: Hashable, Sendable {
        /// The tab shows the page's own document from now on.
        case committed
        /// The page cannot be loaded: the browser's name of the error.
        case unreachable(String)
        /// The status of the page's own document.
        case answered(status: Int)
        case painted
        /// Nothing has been loaded for half a second.
        case quiet
        case said(String)
        case complained(String)
        /// The guard has refused an address, in words.
        case refused(String)
        case crashed(String)
        /// The page reacts to the browser.
        case alive
        /// The page has closed itself.
        case closed
    }

    enum Order: Hashable, Sendable {
        /// Show the page: from now on it is the stream's picture.
        case show
        /// Load the page anew, in a new tab.
        case reload(String)
        case end(String)
        case fail(String)
    }

    static let startSignal = "START_RECORDING"
    static let endSignal = "END_RECORDING"

    private enum Phase: Hashable, Sendable {
        case loading(until: Instant)
        /// The page is loaded anew at that time.
        case waiting(until: Instant, why: String)
        case ready
        case over
    }

    /// What was seen of the present attempt.
    private struct Sight: Hashable, Sendable {
        var status: Int?
        var paintedAt: Instant?
        var isQuiet = false
        var hasSignalled = false
    }

    private let rules: Rules
    private var phase: Phase
    private var sight = Sight()
    /// Whether the page has been shown once.
    private(set) var isShown = false
    private var hasReloaded = false
    private var crashes: [Instant] = []
    private var lastSign: Instant
    private var complaints: [String] = []
    private var refusals: [String] = []

    /// The most complaints and refusals in a reason.
    private static let shownMaximum = 3
    /// Of each, in bytes.
    private static let wordsMaximum = 200

    /// The page begins to load.
    init(rules: Rules, at now: Instant) {
        self.rules = rules
        phase = .loading(until: now + rules.patience)
        lastSign = now
    }

    /// When `timePassed` is due.
    var nextDeadline: Instant? {
        switch phase {
        case .loading(let until):
            if let paintedAt = sight.paintedAt, !rules.awaitsSignal {
                min(until, paintedAt + rules.quietPatience)
            } else {
                until
            }
        case .waiting(let until, _): until
        case .ready: lastSign + rules.hangPatience
        case .over: nil
        }
    }

    mutating func handle(_ fact: Fact, at now: Instant) -> Order? {
        guard phase != .over else { return nil }
        switch fact {
        case .committed:
            // The answer comes before the document that it brings.
            if case .loading = phase { sight = Sight(status: sight.status) }
            lastSign = now
        case .answered(let status):
            guard case .loading = phase else { return nil }
            sight.status = status
            if status >= 400 {
                let words = "the page's server answers HTTP \(status)"
                // The guard's own answer to plain HTTP is not going to be another.
                let isRefused = status == 403 && !refusals.isEmpty
                return isRefused ? fail(words) : retryOnce(words, at: now)
            }
        case .unreachable(let error):
            guard case .loading = phase else { return nil }
            let words = "the page cannot be loaded: \(error)"
            // Neither becomes another by waiting.
            let isFinal = error.contains("CERT") || !refusals.isEmpty
            return isFinal ? fail(words) : retryOnce(words, at: now)
        case .painted:
            if sight.paintedAt == nil { sight.paintedAt = now }
            return showIfReady(at: now)
        case .quiet:
            sight.isQuiet = true
            return showIfReady(at: now)
        case .said(let text):
            lastSign = now
            if text == Self.endSignal { return finish(.end("the page said \(Self.endSignal)")) }
            if text == Self.startSignal {
                sight.hasSignalled = true
                return showIfReady(at: now)
            }
        case .complained(let text):
            Self.note(text, in: &complaints)
        case .refused(let words):
            Self.note(words, in: &refusals)
        case .crashed(let words): return lost(words, at: now)
        case .alive: lastSign = now
        case .closed: return finish(.end("the page closed itself"))
        }
        return nil
    }

    mutating func timePassed(at now: Instant) -> Order? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        switch phase {
        case .loading:
            // Nobody knows whether it will ever be quiet, but there is something to be seen.
            if sight.paintedAt != nil, !rules.awaitsSignal { return show(at: now) }
            guard !hasReloaded else {
                return fail(
                    "the page did not start within \(rules.patience.components.seconds) s, twice")
            }
            return reload(
                "the page did not start within \(rules.patience.components.seconds) s", at: now)
        case .waiting(_, let why): return reload(why, at: now)
        case .ready:
            return lost(
                "the page has not reacted for \(rules.hangPatience.components.seconds) s", at: now)
        case .over: return nil
        }
    }

    private mutating func showIfReady(at now: Instant) -> Order? {
        guard case .loading = phase else { return nil }
        let isReady =
            sight.hasSignalled
            || (!rules.awaitsSignal && sight.isQuiet && sight.paintedAt != nil)
        guard isReady else { return nil }
        return show(at: now)
    }

    private mutating func show(at now: Instant) -> Order? {
        phase = .ready
        lastSign = now
        defer { isShown = true }
        return isShown ? nil : .show
    }

    private mutating func lost(_ words: String, at now: Instant) -> Order? {
        guard isShown else { return retryOnce(words, at: now) }
        crashes = crashes.filter { $0 + rules.crashWindow > now } + [now]
        guard crashes.count <= rules.crashesMaximum else {
            return fail("\(words), \(crashes.count) times")
        }
        // A crash is no reason for less patience with the load after it.
        return reload(words, at: now, counts: false)
    }

    private mutating func retryOnce(_ why: String, at now: Instant) -> Order? {
        guard !hasReloaded else { return fail(why) }
        phase = .waiting(until: now + rules.retryDelay, why: why)
        return nil
    }

    private mutating func reload(_ why: String, at now: Instant, counts: Bool = true) -> Order {
        hasReloaded = counts
        sight = Sight()
        lastSign = now
        phase = .loading(until: now + rules.patience)
        return .reload(why)
    }

    private mutating func fail(_ words: String) -> Order? {
        finish(.fail("\(words) (\(seen))"))
    }

    private mutating func finish(_ order: Order) -> Order {
        phase = .over
        return order
    }

    /// What was seen, for people.
    private var seen: String {
        var parts = [sight.status.map { "HTTP \($0)" } ?? "no answer from its server"]
        parts.append(sight.paintedAt == nil ? "blank" : "painted")
        if rules.awaitsSignal, !sight.hasSignalled { parts.append("no \(Self.startSignal)") }
        parts += refusals
        if !complaints.isEmpty { parts.append("console: \(complaints.joined(separator: " | "))") }
        return parts.joined(separator: "; ")
    }

    private static func note(_ words: String, in list: inout [String]) {
        let words = PageWords.line(words, bytesMaximum: wordsMaximum)
        guard list.last != words else { return }
        list.append(words)
        if list.count > shownMaximum { list.removeFirst() }
    }
}
