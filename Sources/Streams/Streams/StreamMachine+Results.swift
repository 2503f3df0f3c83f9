/// The results of facts. Each fact has its own result type, so that a driver cannot miss a case.
/// The driver carries them out and informs rooms and records.
extension StreamMachine {
    /// No bot is alive any more, and the stream is off the air.
    public enum Ending: Hashable, Sendable {
        /// The stream is over and never ran: its output is removed.
        case discarded(StreamEnd)
        /// The stream is over: playlists that the last bot left open get their ENDLIST.
        case ended(StreamEnd)
        /// As `ended`, and the assets are to be made: the driver starts a finisher in its turn and
        /// calls `finisherStarted`.
        case postProcessing(StreamEnd)
    }

    /// A stop was requested.
    public enum Stop: Hashable, Sendable {
        /// A bot is alive. It is asked to finish, unless it is already being killed.
        case stopping(StreamEnd, asksBot: Bool)
        /// No bot is alive.
        case ended(Ending)
    }

    /// A deadline has passed.
    public enum Due: Hashable, Sendable {
        /// - Parameter resumes: an earlier bot has written to the output directory.
        case launch(resumes: Bool)
        /// The bot has not obeyed the stop.
        case terminate
        /// - Parameter for: the cause to record for the bot's death.
        case kill(for: ProcessDeath.Cause)
        /// A time limit of the stream is reached.
        case stop(Stop)
        /// A finisher is to be started in its turn.
        case finish
        case killFinisher
    }
}
