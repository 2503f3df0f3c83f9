import ControlAPI
import Jibri
import Logging

/// The slots at work: takes what Jicofo, the recordings and the operator say to the state machines,
/// and carries out their orders.
actor JibriDesk {
    /// An order to the recorder.
    private enum Work {
        case admit(JibriCall)
        case begin(String)
        case end(String)
    }

    private let servers: [BreweryServer]
    private let recorder: any CallRecorder
    private let post: any BreweryPost
    private let logger: Logger
    private var brewery: Brewery
    /// By slot, like the queues.
    private let works: [AsyncStream<Work>]
    private let queues: [AsyncStream<Work>.Continuation]
    /// The server of the session that each slot was last given.
    private var current: [Int: BreweryServer] = [:]
    private var left: Set<Int> = []
    private(set) var figures = JibriFigures()
    private let departure: AsyncStream<Void>.Continuation
    /// Ends when every slot has left.
    nonisolated let departed: AsyncStream<Void>

    init(
        slots: Int, servers: [BreweryServer], isSingleUse: Bool, recorder: any CallRecorder,
        post: any BreweryPost, logger: Logger
    ) {
        self.servers = servers
        self.recorder = recorder
        self.post = post
        self.logger = logger
        brewery = Brewery(
            slots: slots, breweries: servers.map(\.room), isSingleUse: isSingleUse)
        // Bounded by what Jicofo may ask: a slot orders a few things for each request.
        let made = (0..<slots).map { _ in AsyncStream.makeStream(of: Work.self) }
        works = made.map(\.stream)
        queues = made.map(\.continuation)
        (departed, departure) = AsyncStream.makeStream()
    }

    /// Carries out what the slots order of the recorder, each slot's in order, until every slot has
    /// left.
    func run() async {
        await withDiscardingTaskGroup { group in
            for (slot, works) in works.enumerated() {
                group.addTask { for await work in works { await self.obey(work, slot) } }
            }
            group.addTask {
                for await news in self.recorder.news { await self.take(news.fact, slot: news.slot) }
            }
            for await _ in departed {}
            for queue in queues { queue.finish() }
            group.cancelAll()
        }
    }

    // MARK: Facts

    func take(_ fact: BrewerySlot.Fact, slot: Int) {
        figures.count(fact)
        if case .closed = fact { current[slot] = nil }
        carryOut(brewery.handle(fact, slot: slot))
    }

    /// What concerns all slots.
    func take(_ fact: BrewerySlot.Fact) { carryOut(brewery.handle(fact)) }

    func leave(_ how: RecorderLeaving) async {
        take(.leaving)
        if how == .now { await recorder.endAll() }
    }

    // MARK: Figures

    var business: Brewery.Business { brewery.business }

    var isHealthy: Bool { queues.indices.allSatisfy { brewery.status(ofSlot: $0).isHealthy } }

    func status(ofSlot slot: Int) -> SlotStatus { brewery.status(ofSlot: slot) }

    /// The deployment of a session that is recorded, with its host.
    var environment: (name: String, host: String)? {
        current.min { $0.key < $1.key }
            .map { ($0.value.environment.name, $0.value.host.description) }
    }

    // MARK: Orders

    private func carryOut(_ orders: [Brewery.Order]) {
        for order in orders { carryOut(order.order, slot: order.slot) }
    }

    private func carryOut(_ order: BrewerySlot.Order, slot: Int) {
        switch order {
        case .answer(let stanza, let server): post.post(.stanza(stanza), slot: slot, server: server)
        case .tell(let status, let asker, let server):
            log("tells Jicofo", slot, ["status": "\(words(status))"])
            post.post(.tell(status, to: asker), slot: slot, server: server)
        case .show(let status, let server): post.post(.show(status), slot: slot, server: server)
        case .admit(let start, let server):
            log("asked to record", slot, ["session": "\(start.session)", "room": "\(start.room)"])
            let server = servers[server]
            let call = JibriCall(start: start, environment: server.environment, host: server.host)
            queues[slot].yield(.admit(call))
        case .begin(let start, let server):
            figures.started += 1
            current[slot] = servers[server]
            queues[slot].yield(.begin(start.session))
        case .end(let session, let reason):
            log("ends", slot, ["session": "\(session)", "reason": "\(reason)"])
            queues[slot].yield(.end(session))
        case .leave:
            left.insert(slot)
            if left.count == queues.count { departure.finish() }
        }
    }

    private func obey(_ work: Work, _ slot: Int) async {
        switch work {
        case .admit(let call):
            let isAdmitted = await recorder.admit(call, slot: slot)
            take(
                isAdmitted
                    ? .admitted(session: call.session) : .declined(session: call.session),
                slot: slot)
        case .begin(let session): await recorder.begin(session, slot: slot)
        case .end(let session): await recorder.end(session, slot: slot)
        }
    }

    private func words(_ status: JibriStatus) -> String {
        switch status.failure {
        case .busy: "busy"
        case .error(let shouldRetry): "failed" + (shouldRetry ? ", for another to try" : "")
        case nil: status.state.rawValue
        }
    }

    private func log(_ text: String, _ slot: Int, _ metadata: Logger.Metadata) {
        logger.info(
            "jibri: \(text)", metadata: metadata.merging(["slot": "\(slot)"]) { $1 })
    }
}
