import Jibri

/// Where a slot stands with one server, and what it has said there that is still to be sent. A
/// stream that is resumed after a loss goes on as if nothing had been: what was said meanwhile must
/// not be lost, since nobody would say it again.
struct BreweryStay: Sendable {
    /// Of messages that wait. A slot says a few in the minute that a lost connection may take.
    static let waitingMaximum = 64

    /// What a new connection calls for.
    enum Step: Hashable, Sendable {
        case enter
        /// To leave the room and to enter again: the session was given up, and Jicofo has to see it.
        case enterAnew
        /// To show what the slot is by now, and to send what waits.
        case goOn
    }

    var isLeaving = false
    private(set) var isInside = false
    private(set) var isOnline = false
    /// Connections so far, which tell whose a late refusal is.
    private(set) var connections = 0
    /// The first one of the stream.
    private var beginning = 0
    /// Tells one absence from the next.
    private var absences = 0
    /// Whether the slot has been told that its place is lost, while the room still shows it.
    private var isGivenUp = false
    private var waiting: [BreweryMessage] = []

    // MARK: The connection

    mutating func online(isResumed: Bool) -> Step {
        isOnline = true
        connections += 1
        guard isResumed else {
            // Jicofo has seen us go, and asks anew.
            (beginning, isGivenUp, waiting) = (connections, false, [])
            return .enter
        }
        guard isInside else { return .enter }
        return isGivenUp ? .enterAnew : .goOn
    }

    /// - Returns: the absence that begins; nil if there was no connection.
    mutating func disconnected() -> Int? {
        guard isOnline else { return nil }
        isOnline = false
        absences += 1
        return absences
    }

    /// The connection is away for too long, unless it is back by now.
    ///
    /// - Returns: whether the place is given up.
    mutating func missed(_ absence: Int) -> Bool {
        guard !isOnline, absences == absence else { return false }
        (isGivenUp, waiting) = (true, [])
        return true
    }

    mutating func entered() { (isInside, isGivenUp) = (true, false) }

    mutating func ended() { (isInside, isGivenUp) = (false, false) }

    // MARK: Messages

    mutating func add(_ message: BreweryMessage) {
        waiting.append(message)
        if waiting.count > Self.waitingMaximum { waiting.removeFirst() }
    }

    /// The next message that can be sent now.
    mutating func next() -> BreweryMessage? {
        guard isOnline, !waiting.isEmpty else { return nil }
        return waiting.removeFirst()
    }

    /// There was no connection for a message after all.
    ///
    /// - Parameter connection: what it was sent by.
    /// - Returns: whether it can be sent by another one by now.
    mutating func refused(_ message: BreweryMessage, by connection: Int) -> Bool {
        guard connection >= beginning, !isGivenUp else { return false }
        // The next connection shows the presence anew.
        if case .show = message { return false }
        if waiting.count < Self.waitingMaximum { waiting.insert(message, at: 0) }
        return isOnline && connection != connections
    }
}
