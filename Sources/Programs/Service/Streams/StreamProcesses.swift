import ChildProcesses
import Streams

/// The living bot and finisher of a stream, as far as known, and why they were sent signals.
struct StreamProcesses {
    private var bot: AsyncStream<BotSignal>.Continuation?
    private var finisher: AsyncStream<FinisherSignal>.Continuation?
    /// Why the living bot or finisher was sent a signal; nil if it was not.
    private(set) var killedBotFor: ProcessDeath.Cause?
    private(set) var killedFinisherFor: ProcessDeath.Cause?
    /// Whether the next bot should avoid hardware encoders.
    private(set) var mistrustsHardware = false
    /// The number of the current bot, to detect late reports of earlier ones.
    private(set) var generation = 0

    var hasBot: Bool { bot != nil }
    var hasFinisher: Bool { finisher != nil }

    // MARK: The bot

    /// - Returns: the signals for the next bot.
    mutating func nextBot() -> AsyncStream<BotSignal> {
        bot?.finish()
        let (signals, continuation) = AsyncStream.makeStream(of: BotSignal.self)
        bot = continuation
        killedBotFor = nil
        generation += 1
        return signals
    }

    func tell(_ order: BotOrder) { bot?.yield(.order(order)) }

    func stopBot() { bot?.yield(.stop) }

    mutating func terminateBot() {
        killedBotFor = .notFinished
        bot?.yield(.terminate)
    }

    mutating func killBot(for cause: ProcessDeath.Cause) {
        killedBotFor = cause
        // The bot may hang in the hardware, where the next bot would hang as well.
        mistrustsHardware = true
        bot?.yield(.kill)
    }

    mutating func botEnded() {
        bot?.finish()
        bot = nil
    }

    /// The hardware may be at fault, and the next bot would fail as well. A driver that crashes
    /// kills the bot before it can report.
    mutating func botFailed(_ ending: ProcessEnding) {
        if !ending.isKill { mistrustsHardware = true }
    }

    // MARK: The finisher

    /// - Returns: the signals for the next finisher.
    mutating func nextFinisher() -> AsyncStream<FinisherSignal> {
        let (signals, continuation) = AsyncStream.makeStream(of: FinisherSignal.self)
        finisher = continuation
        killedFinisherFor = nil
        return signals
    }

    func giveWay() { finisher?.yield(.giveWay) }

    mutating func killFinisher(for cause: ProcessDeath.Cause) {
        killedFinisherFor = cause
        finisher?.yield(.kill)
    }

    mutating func finisherEnded() {
        finisher?.finish()
        finisher = nil
    }
}
