import ChildProcesses
import Streams

/// The bot and the finisher of a stream that are alive, as far as is known here, and why they were
/// sent signals.
struct StreamProcesses {
    private var bot: AsyncStream<BotSignal>.Continuation?
    private var finisher: AsyncStream<FinisherSignal>.Continuation?
    /// For what the bot that is alive was sent a signal, or the finisher; nil when it was not.
    private(set) var killedBotFor: ProcessDeath.Cause?
    private(set) var killedFinisherFor: ProcessDeath.Cause?
    /// Whether the next bot is to leave the hardware's encoders alone.
    private(set) var mistrustsHardware = false
    /// Which bot is meant: reports of an earlier one come too late.
    private(set) var generation = 0

    var hasBot: Bool { bot != nil }
    var hasFinisher: Bool { finisher != nil }

    // MARK: The bot

    /// - Returns: what the next bot is told, from now on.
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
        // It may hang in the hardware, in which the next bot would hang as well.
        mistrustsHardware = true
        bot?.yield(.kill)
    }

    mutating func botEnded() {
        bot?.finish()
        bot = nil
    }

    /// It may have been the hardware, which the next bot would fail on as well. A driver that
    /// crashes takes the bot with it, before it can say anything.
    mutating func botFailed(_ ending: ProcessEnding) {
        if !ending.isKill { mistrustsHardware = true }
    }

    // MARK: The finisher

    /// - Returns: what is done to the next finisher, from now on.
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
