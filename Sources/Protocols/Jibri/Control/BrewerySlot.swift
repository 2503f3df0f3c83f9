public import XML
public import XMPP

/// One place to record in, with a nick of its own in the brewery: takes Jicofo's requests, one
/// session at a time, and says how the session goes. Facts go in, orders come out.
///
/// A slot is in the brewery of one or more servers. It shows the same in all.
public struct BrewerySlot: Sendable {
    public enum Fact: Hashable, Sendable {
        case joined(server: Int)
        /// The connection, or the place in the room, is gone.
        case lost(server: Int)
        case asked(Request, server: Int)
        /// The answers to `Order.admit`.
        case admitted(session: String)
        case declined(session: String)
        /// The recording writes its first picture.
        case running(session: String)
        /// Without an order of ours.
        case ended(session: String, RecordingEnd)
        /// The files are complete, and the place in the machine is free.
        case closed(session: String)
        /// Jicofo has given the session to another slot.
        case superseded(session: String)
        /// Whether the machine could take one more.
        case capacity(Bool)
        case health(Bool)
        /// The program is to end when nothing is recorded any more.
        case leaving
    }

    public enum Order: Hashable, Sendable {
        /// - Parameter stanza: the whole answer to a request.
        case answer(stanza: XMLElement, server: Int)
        /// A request of ours to Jicofo, which it answers with an empty result.
        case tell(JibriStatus, to: JID, server: Int)
        /// A new presence in the brewery.
        case show(SlotStatus, server: Int)
        /// Take a place in the machine for it, if there is one.
        case admit(JibriStart, server: Int)
        /// - Parameter server: whose deployment the meeting belongs to.
        case begin(JibriStart, server: Int)
        /// Complete the files. Also gives back a place that was taken for a session not begun.
        case end(session: String, Reason)
        case leave
    }

    /// Why a recording is to end.
    public enum Reason: Hashable, Sendable {
        case stopped
        /// Jicofo has not waited for us, and has chosen another recorder.
        case connectionLost
        case superseded
    }

    private struct Job: Hashable {
        let start: JibriStart
        /// Jicofo in the brewery.
        var asker: JID
        let server: Int
    }

    /// A request that is still to be answered.
    private struct Waiting: Hashable {
        let request: Request
        let server: Int
    }

    private enum Place: Hashable {
        case idle
        case asking(Job, [Waiting])
        case starting(Job)
        case running(Job)
        /// The stops are answered when the files are complete.
        case ending(Job, [Waiting])
        /// Has recorded what it may.
        case expired
    }

    /// Requests that wait for their answers. One more is answered at once.
    static let waitingMaximum = 8

    /// By server.
    private let breweries: [JID]
    private let isSingleUse: Bool
    private var place = Place.idle
    private var joined: Set<Int> = []
    private var shown: [Int: SlotStatus] = [:]
    private var hasCapacity = true
    private var isHealthy = true
    private var isLeaving = false

    /// - Parameter breweries: the room on each server. Only who is in it may ask.
    public init(breweries: [JID], isSingleUse: Bool = false) {
        self.breweries = breweries
        self.isSingleUse = isSingleUse
    }

    /// What is to be shown on joining, and since.
    public var status: SlotStatus {
        let isIdle =
            switch place {
            case .idle, .asking: hasCapacity && !isLeaving
            case .starting, .running, .ending, .expired: false
            }
        return SlotStatus(isBusy: !isIdle, isHealthy: isHealthy)
    }

    public var isExpired: Bool { place == .expired }

    /// The session that Jicofo has here.
    public var session: String? {
        switch place {
        case .idle, .expired, .ending: nil
        case .asking(let job, _), .starting(let job), .running(let job): job.start.session
        }
    }

    public mutating func handle(_ fact: Fact) -> [Order] {
        var orders: [Order]
        switch fact {
        case .joined(let server):
            joined.insert(server)
            shown[server] = nil
            orders = []
        case .lost(let server): orders = lost(server)
        case .asked(let request, let server): orders = asked(request, server)
        case .admitted(let session): orders = admitted(session)
        case .declined(let session): orders = declined(session)
        case .running(let session): orders = running(session)
        case .ended(let session, let end): orders = ended(session, end)
        case .closed(let session): orders = closed(session)
        case .superseded(let session):
            orders = self.session == session ? abandoned(.superseded) : []
        case .capacity(let hasCapacity):
            self.hasCapacity = hasCapacity
            orders = []
        case .health(let isHealthy):
            self.isHealthy = isHealthy
            orders = []
        case .leaving:
            isLeaving = true
            orders = isAtRest ? [.leave] : []
        }
        for server in joined.sorted() where shown[server] != status {
            shown[server] = status
            orders.append(.show(status, server: server))
        }
        return orders
    }

    private var isAtRest: Bool { place == .idle || place == .expired }

    // MARK: - Jicofo's requests

    private mutating func asked(_ request: Request, _ server: Int) -> [Order] {
        func refused(_ error: StanzaError) -> [Order] {
            [.answer(stanza: request.refusal(error), server: server)]
        }
        guard let asker = asker(of: request, server) else {
            return refused(StanzaError("not-allowed", .cancel))
        }
        do throws(JibriRequest.Refusal) {
            switch try JibriRequest(request) {
            case .start(let start):
                return started(Job(start: start, asker: asker, server: server), request)
            case .stop(let session):
                return stopped(session, Waiting(request: request, server: server))
            case nil: return refused(StanzaError("service-unavailable", .cancel))
            }
        } catch {
            switch error {
            case .stanza(let error): return refused(error)
            case .status(let status):
                return [.answer(stanza: request.result(status.element), server: server)]
            }
        }
    }

    /// Who asks, if that is an occupant of the server's brewery.
    private func asker(of request: Request, _ server: Int) -> JID? {
        guard let asker = request.from, breweries.indices.contains(server),
            asker.bare == breweries[server]
        else { return nil }
        return asker
    }

    /// The session that a request is to start, whether or not it can be: Jicofo has no other
    /// recorder for it any more.
    func sessionToStart(by request: Request, server: Int) -> String? {
        guard asker(of: request, server) != nil, case .start(let start) = try? JibriRequest(request)
        else { return nil }
        return start.session
    }

    private mutating func started(_ job: Job, _ request: Request) -> [Order] {
        func answer(_ status: JibriStatus) -> Order {
            .answer(stanza: request.result(status.element), server: job.server)
        }
        // Jicofo asks again when an answer was lost on its way: one session, not two.
        func isSame(_ other: Job) -> Bool { other.start == job.start && other.server == job.server }
        switch place {
        case .idle where status.isBusy: return [answer(JibriStatus(.off, .busy))]
        case .idle:
            place = .asking(job, [Waiting(request: request, server: job.server)])
            return [.admit(job.start, server: job.server)]
        case .asking(let own, let waiting)
        where isSame(own) && waiting.count < Self.waitingMaximum:
            place = .asking(job, waiting + [Waiting(request: request, server: job.server)])
            return []
        case .starting(let own) where isSame(own):
            place = .starting(job)
            return [answer(JibriStatus(.pending))]
        case .running(let own) where isSame(own):
            place = .running(job)
            return [
                answer(JibriStatus(.pending)),
                .tell(JibriStatus(.on), to: job.asker, server: job.server),
            ]
        case .asking, .starting, .running, .ending, .expired:
            return [answer(JibriStatus(.off, .busy))]
        }
    }

    /// A stop for another session came too late, and must not end this one.
    private mutating func stopped(_ session: String?, _ stop: Waiting) -> [Order] {
        func isMeant(_ job: Job) -> Bool { session == nil || session == job.start.session }
        switch place {
        case .asking(let job, let waiting) where isMeant(job):
            place = .idle
            let given = JibriStatus(.off, .error(shouldRetry: false))
            return answers(waiting, given) + answers([stop], JibriStatus(.off)) + leavingOrders
        case .starting(let job) where isMeant(job), .running(let job) where isMeant(job):
            place = .ending(job, [stop])
            return [.end(session: job.start.session, .stopped)]
        case .ending(let job, let stops)
        where isMeant(job) && stops.count < Self.waitingMaximum:
            place = .ending(job, stops + [stop])
            return []
        case .idle, .asking, .starting, .running, .ending, .expired:
            return answers([stop], JibriStatus(.off))
        }
    }

    private func answers(_ waiting: [Waiting], _ status: JibriStatus) -> [Order] {
        waiting.map {
            .answer(stanza: $0.request.result(status.element), server: $0.server)
        }
    }

    // MARK: - The recording

    private mutating func admitted(_ session: String) -> [Order] {
        guard case .asking(let job, let waiting) = place, job.start.session == session else {
            // It was stopped meanwhile. One that has begun was admitted before.
            return self.session == session ? [] : [.end(session: session, .stopped)]
        }
        place = .starting(job)
        return answers(waiting, JibriStatus(.pending)) + [.begin(job.start, server: job.server)]
    }

    private mutating func declined(_ session: String) -> [Order] {
        guard case .asking(let job, let waiting) = place, job.start.session == session else {
            return []
        }
        place = .idle
        return answers(waiting, JibriStatus(.off, .busy)) + leavingOrders
    }

    private mutating func running(_ session: String) -> [Order] {
        guard case .starting(let job) = place, job.start.session == session else { return [] }
        place = .running(job)
        return [.tell(JibriStatus(.on), to: job.asker, server: job.server)]
    }

    private mutating func ended(_ session: String, _ end: RecordingEnd) -> [Order] {
        if case .failed(let failure) = end, failure.isLasting { isHealthy = false }
        guard let job = active(session) else { return [] }
        place = .ending(job, [])
        let status =
            switch end {
            case .finished: JibriStatus(.off)
            case .failed(let failure):
                JibriStatus(.off, .error(shouldRetry: failure.shouldRetry))
            }
        return [.tell(status, to: job.asker, server: job.server)]
    }

    private func active(_ session: String) -> Job? {
        switch place {
        case .starting(let job) where job.start.session == session,
            .running(let job) where job.start.session == session:
            job
        default: nil
        }
    }

    private mutating func closed(_ session: String) -> [Order] {
        // What is gone without an end has failed.
        let failed = active(session) == nil ? [] : ended(session, .failed(.internal))
        guard case .ending(let job, let stops) = place, job.start.session == session else {
            return []
        }
        place = isSingleUse ? .expired : .idle
        return failed + answers(stops, JibriStatus(.off)) + leavingOrders
    }

    private var leavingOrders: [Order] { isLeaving && isAtRest ? [.leave] : [] }

    // MARK: - Jicofo's absence

    private mutating func lost(_ server: Int) -> [Order] {
        joined.remove(server)
        shown[server] = nil
        switch place {
        case .asking(let job, _) where job.server == server:
            place = .idle
            return leavingOrders
        case .starting(let job) where job.server == server,
            .running(let job) where job.server == server:
            return abandoned(.connectionLost)
        case .ending(let job, let stops):
            place = .ending(job, stops.filter { $0.server != server })
            return []
        case .idle, .asking, .starting, .running, .expired: return []
        }
    }

    /// Jicofo does not listen any more: the files are completed, and nothing is said.
    private mutating func abandoned(_ reason: Reason) -> [Order] {
        switch place {
        case .asking(_, let waiting):
            place = .idle
            return answers(waiting, JibriStatus(.off, .error(shouldRetry: false))) + leavingOrders
        case .starting(let job), .running(let job):
            place = .ending(job, [])
            return [.end(session: job.start.session, reason)]
        case .idle, .ending, .expired: return []
        }
    }
}
