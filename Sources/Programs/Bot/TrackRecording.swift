import Clocks
import MediaKernel
import Pipeline
import Recording
import Rooms
import Synchronization

/// Records single tracks of a room as they come: takes frames on the media loop and hands them to a
/// thread that writes.
///
/// The queue holds some seconds of a large room. When it is full, a track's frames are left out. Its
/// recorder then asks for a key frame, with which it goes on, and its file has a gap.
final class TrackRecording: TrackTaker {
    enum Event: Sendable {
        /// The thread goes on.
        case atWork
        case failed(PipelineFailure)
    }

    enum Command: Sendable {
        case peers([SourcePeer])
        case began(TrackID, TrackCodec)
        case ended(TrackID)
        /// - Parameter isAfterOverflow: frames before it did not fit into the queue.
        case frame(IncomingFrame, of: TrackID, isAfterOverflow: Bool)
        case lost(TrackID)
        case report(TrackID, rtpTimestamp: Int64, ntp: NTPTime, at: Instant)
        case paused(Bool)
        case finish
    }

    /// What waits for the thread.
    private struct Waiting {
        var bytes = 0
        var overflowing: Set<TrackID> = []
    }

    static let commandsMaximum = 16_384
    static let bytesMaximum = 64 << 20
    private static let eventsMaximum = 64

    let events: AsyncStream<Event>
    private let sink: AsyncStream<Event>.Continuation
    private let inbox: Mailbox<Command>
    private let waiting = Mutex(Waiting())
    private let thread: Mutex<MediaThread?> = Mutex(nil)

    /// - Parameter directory: of the stream.
    /// - Throws: `RecordingError.file`.
    init(
        _ options: TrackOptions, in directory: String, isPaused: Bool, wishes: BotMedia.Wishes
    ) throws {
        let (events, sink) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.eventsMaximum))
        (self.events, self.sink) = (events, sink)
        inbox = Mailbox(maximum: Self.commandsMaximum)
        let writer = try TrackWriter(
            options, in: directory, isPaused: isPaused,
            keyframeNeeded: { wishes.addIncomplete($0) })
        // Safe because from here on only the new thread touches the writer.
        nonisolated(unsafe) let owned = writer
        thread.withLock { [inbox] thread in
            thread = MediaThread(name: "tracks") { [self] in
                do throws(RecordingError) {
                    try owned.run(
                        inbox, taken: { self.taken($0) }, progressed: { sink.yield(.atWork) })
                } catch {
                    sink.yield(.failed(PipelineFailure(error, in: "tracks")))
                }
                inbox.close()
                sink.finish()
            }
        }
    }

    func show(_ peers: [SourcePeer]) { inbox.put(.peers(peers)) }

    func setPaused(_ isPaused: Bool) { inbox.put(.paused(isPaused)) }

    /// Writes what is left, and ends the files.
    func stop() async {
        inbox.put(.finish)
        await thread.withLock { $0 }?.join()
    }

    // MARK: Frames

    func mediaBegan(_ track: TrackID, codec: SourceCodec) {
        guard let codec = TrackCodec(rawValue: codec.rawValue) else { return }
        // Without it nothing of the track would be recorded.
        inbox.put(.began(track, codec))
    }

    func mediaEnded(_ track: TrackID) {
        inbox.put(.ended(track))
        waiting.withLock { _ = $0.overflowing.remove(track) }
    }

    func receive(_ frame: IncomingFrame, of track: TrackID, isVideo: Bool) {
        // Only what comes encoded is recorded as it came.
        guard !frame.isRaw else { return }
        let isAfterOverflow = waiting.withLock { waiting -> Bool? in
            let isOverflowing = waiting.overflowing.contains(track)
            guard waiting.bytes + frame.data.count <= Self.bytesMaximum else {
                waiting.overflowing.insert(track)
                return nil
            }
            waiting.bytes += frame.data.count
            return isOverflowing
        }
        guard let isAfterOverflow else { return }
        let isTaken = inbox.offer(.frame(frame, of: track, isAfterOverflow: isAfterOverflow))
        if isTaken, !isAfterOverflow { return }
        waiting.withLock { waiting in
            if isTaken {
                waiting.overflowing.remove(track)
            } else {
                waiting.bytes -= frame.data.count
                waiting.overflowing.insert(track)
            }
        }
    }

    func audioLost(_ track: TrackID, from timestamp: Int64) { _ = inbox.offer(.lost(track)) }

    func senderReport(_ track: TrackID, rtpTimestamp: Int64, ntp: NTPTime, at now: Instant) {
        _ = inbox.offer(.report(track, rtpTimestamp: rtpTimestamp, ntp: ntp, at: now))
    }

    private func taken(_ bytes: Int) { waiting.withLock { $0.bytes -= bytes } }
}
