import Clocks
import Jibri
import MediaKernel

/// What is looked at again and again: the recordings, whether there is room for more, whether they
/// can be kept. Tells the slots and, by webhooks, the operator.
actor JibriWatch {
    /// Between two looks at the recordings.
    static let interval = Duration.milliseconds(500)
    static let checkInterval = Duration.seconds(15)
    /// Jibri's, of webhooks without a change.
    static let reportInterval = Duration.seconds(60)

    /// What webhooks are told at once. The words of a fault may have a figure that never rests.
    private struct Report: Hashable {
        let business: Brewery.Business
        let isHealthy: Bool
    }

    private let desk: JibriDesk
    private let recorder: any CallRecorder
    private let check: @Sendable () async -> String?
    private let trouble: @Sendable () async -> String?
    private var fault: String?
    private var checkedAt: Instant?
    private var hasCapacity = true
    private var reported: (report: Report, at: Instant)?
    /// What webhooks are to be told. Of many that wait, the newest.
    nonisolated let reports: AsyncStream<JibriHealth>
    private let queue: AsyncStream<JibriHealth>.Continuation

    /// - Parameters:
    ///   - trouble: what is wrong with recordings that are over; nil for nothing.
    ///   - check: what makes the machine unfit to record; nil if nothing does.
    init(
        desk: JibriDesk, recorder: any CallRecorder,
        trouble: @escaping @Sendable () async -> String? = { nil },
        check: @escaping @Sendable () async -> String?
    ) {
        self.desk = desk
        self.recorder = recorder
        self.trouble = trouble
        self.check = check
        (reports, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(8))
    }

    func run() async {
        while !Task.isCancelled {
            await tick(at: MonotonicClock.now)
            try? await Task.sleep(for: Self.interval)
        }
    }

    func tick(at now: Instant) async {
        await recorder.tick(at: now)
        let hasCapacity = await recorder.hasCapacity()
        if hasCapacity != self.hasCapacity {
            self.hasCapacity = hasCapacity
            await desk.take(.capacity(hasCapacity))
        }
        if checkedAt.map({ now - $0 >= Self.checkInterval }) ?? true {
            checkedAt = now
            let fault = await check()
            // Each time: a slot that found a fault by itself has it no longer than until now.
            await desk.take(.health(fault == nil))
            self.fault = fault
        }
        await tell(at: now)
    }

    var health: JibriHealth {
        get async {
            JibriHealth(
                await desk.business, fault: await reason, trouble: await trouble(),
                environment: await desk.environment)
        }
    }

    private var reason: String? {
        get async {
            if let fault { return fault }
            return await desk.isHealthy ? nil : "a recording could not be kept"
        }
    }

    private func tell(at now: Instant) async {
        let health = await health
        let report = Report(business: await desk.business, isHealthy: health.isHealthy)
        if let reported, reported.report == report, now - reported.at < Self.reportInterval {
            return
        }
        reported = (report, now)
        queue.yield(health)
    }
}
