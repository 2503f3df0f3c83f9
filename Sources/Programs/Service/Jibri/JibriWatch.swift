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

    private struct Report: Hashable {
        let business: Brewery.Business
        let fault: String?
    }

    private let desk: JibriDesk
    private let recorder: any CallRecorder
    private let check: @Sendable () async -> String?
    private var fault: String?
    private var checkedAt: Instant?
    private var hasCapacity = true
    private var reported: (report: Report, at: Instant)?
    /// What webhooks are to be told. Of many that wait, the newest.
    nonisolated let reports: AsyncStream<JibriHealth>
    private let queue: AsyncStream<JibriHealth>.Continuation

    /// - Parameter check: what makes the machine unfit to record; nil if nothing does.
    init(
        desk: JibriDesk, recorder: any CallRecorder, check: @escaping @Sendable () async -> String?
    ) {
        self.desk = desk
        self.recorder = recorder
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
        await recorder.tick()
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

    var health: JibriHealth { get async { await health(of: report) } }

    private var report: Report {
        get async { Report(business: await desk.business, fault: await reason) }
    }

    private func health(of report: Report) async -> JibriHealth {
        JibriHealth(report.business, fault: report.fault, environment: await desk.environment)
    }

    private var reason: String? {
        get async {
            if let fault { return fault }
            return await desk.isHealthy ? nil : "a recording could not be kept"
        }
    }

    private func tell(at now: Instant) async {
        let report = await report
        if let reported, reported.report == report, now - reported.at < Self.reportInterval {
            return
        }
        reported = (report, now)
        queue.yield(await health(of: report))
    }
}
