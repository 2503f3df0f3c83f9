import Jibri
import MediaKernel

/// What records the calls that slots take on. Calls are told apart by slot and session: a session
/// that moves from one slot to another is, for a while, in both.
protocol CallRecorder: Sendable {
    /// Whether one more call could begin.
    func hasCapacity() async -> Bool

    /// Takes a place in the machine for a call. The same call again has the same place.
    ///
    /// - Returns: false if there is none. Any other reason not to record it is told once it has
    ///   begun.
    func admit(_ call: JibriCall, slot: Int) async -> Bool

    /// From now on `news` has what happens to it.
    func begin(_ session: String, slot: Int) async

    /// Completes the files; `CallNews.closed` follows. Also gives back a place in which nothing has
    /// begun.
    func end(_ session: String, slot: Int) async

    /// Ends every call, as far as it goes by itself: `CallNews.ended` and `closed` follow.
    func endAll() async

    /// Looks at what is due.
    func tick(at now: Instant) async

    /// The sessions that are not complete.
    var unfinished: [String] { get async }

    var news: AsyncStream<CallNews> { get }
}

/// What happens to a call.
struct CallNews: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        /// It is recorded, and streamed where it is to be.
        case running
        /// By itself: nobody of ours has ended it.
        case ended(RecordingEnd)
        /// The files are in place, and the machine is free.
        case closed
    }

    let session: String
    let slot: Int
    let event: Event

    var fact: BrewerySlot.Fact {
        switch event {
        case .running: .running(session: session)
        case .ended(let end): .ended(session: session, end)
        case .closed: .closed(session: session)
        }
    }
}
