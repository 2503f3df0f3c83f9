/// What each fact may come to: results of their own, so that a driver cannot miss one. The driver
/// carries them out and tells rooms and records.
extension StreamMachine {
    /// No bot is alive any more, and the stream is off the air.
    public enum Ending: Hashable, Sendable {
        /// It never ran, and is over: what its bots have written is removed.
        case discarded(StreamEnd)
        /// It is over: whatever the last bot left open gets its ENDLIST.
        case ended(StreamEnd)
        /// The same, and its assets are made: a finisher is started when it is its turn, which
        /// `finisherStarted` says.
        case postProcessing(StreamEnd)
    }

    /// A stop was asked for.
    public enum Stop: Hashable, Sendable {
        /// A bot is alive. It is asked to finish, unless it is being killed already.
        case stopping(StreamEnd, asksBot: Bool)
        /// None is.
        case ended(Ending)
    }

    /// A time has come.
    public enum Due: Hashable, Sendable {
        /// - Parameter resumes: a bot has written into the output directory before.
        case launch(resumes: Bool)
        /// The bot does not heed the stop.
        case terminate
        /// - Parameter for: for what, as its death's cause.
        case kill(for: ProcessDeath.Cause)
        /// A limit of its time is reached.
        case stop(Stop)
        /// A finisher is to be started when it is its turn.
        case finish
        case killFinisher
    }
}
