import Catalogue
import ControlAPI
import MediaKernel
import Streams

/// What `StreamService` keeps of a stream while it is on air, beside its record.
struct StreamOnAir {
    var machine: StreamMachine
    /// By its whole name, also where the request leaves it out. Empty for a stream that an earlier
    /// server left behind: it is over.
    var destination = ""
    var directory: String
    var requestedAt: Instant
    /// Both nil when it is not recorded.
    var order: RecordingOrder?
    var place: RecordingPlace?
    /// Its bot is running, which is told at this moment, or when the copy in the store can be played.
    var runningIsHeldUntil: Instant?
    var statistics = StreamStatistics()
    /// Timed metadata that was taken.
    var metadataCount = 0
    var metadataRate = TokenBucket(
        rate: Limits.timedMetadataPerSecond, burst: Limits.timedMetadataBurst, at: .zero)
    /// To the bot that is alive.
    var signals: AsyncStream<BotSignal>.Continuation?
    /// To the finisher that is alive.
    var finisherSignals: AsyncStream<FinisherSignal>.Continuation?
    /// For what the bot that is alive was sent a signal, or the finisher; nil when it was not.
    var killedBotFor: ProcessDeath.Cause?
    var killedFinisherFor: ProcessDeath.Cause?
    /// Whether the next bot is to leave the hardware's encoders alone.
    var mistrustsHardware = false
    /// Which bot is meant: reports of an earlier one come too late.
    var generation = 0
    /// What is to be done for it, one after the other, since a disk may hang.
    var errands = StreamErrands()
}

/// A bot to be started.
struct BotLaunch: Sendable {
    var job: BotJob
    var generation: Int
    var signals: AsyncStream<BotSignal>
}

/// A process that `StreamService.run` is to start.
enum StreamLaunch: Sendable {
    case bot(BotLaunch)
    case finisher(FinisherJob, signals: AsyncStream<FinisherSignal>)
}

/// What the rooms are to be told.
enum StreamingChange: Sendable {
    case streams(room: RoomID, [LiveStream])
    case recording(room: RoomID, LiveStream)
}
