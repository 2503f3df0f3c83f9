import HLS
import Recording
import Streams
import Synchronization

/// The captions of a stream, for all of its containers: those in the stream's log. The layer that
/// they follow reads them when it publishes a segment.
final class CaptionBoard: Sendable {
    private struct State {
        var captions: [Caption] = []
        var reader: CaptionLog.Reader
    }

    let languages: [CaptionLanguage]
    private let state: Mutex<State>

    /// - Parameter directory: of the stream.
    init(_ languages: [CaptionLanguage], in directory: String) {
        self.languages = languages
        state = Mutex(State(reader: CaptionLog.Reader(in: directory)))
    }

    /// The captions after the first `count`, up to now.
    ///
    /// - Throws: `.file`.
    func captions(after count: Int) throws(RecordingError) -> ArraySlice<Caption> {
        try state.withLock { state throws(RecordingError) in
            state.captions += try state.reader.more()
            return state.captions.dropFirst(count)
        }
    }
}
