import MediaKernel
import OpenVidu

/// What happens in the rooms: tells it to the receiver of webhooks, the door who is there, and the
/// recordings which streams there are.
final class OpenViduNews: OpenViduObserver {
    /// Streams that wait to be noted. Of those beyond that the archive has names of its own.
    private static let streamsMaximum = 10_000

    private let webhook: OpenViduWebhook?
    private let recorder: SessionRecorder
    private let door: OpenViduDoor
    let streams: AsyncStream<(RoomID, PublishedStream)>
    private let queue: AsyncStream<(RoomID, PublishedStream)>.Continuation

    /// - Parameters:
    ///   - webhook: nil if no events are sent.
    ///   - recorder: writes down what is to be sent, in order.
    ///   - door: closes sessions with their last participant.
    init(webhook: OpenViduWebhook?, recorder: SessionRecorder, door: OpenViduDoor) {
        self.webhook = webhook
        self.recorder = recorder
        self.door = door
        (streams, queue) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.streamsMaximum))
    }

    func wants(_ event: CallDetail.Event) -> Bool { webhook?.wants(event) ?? false }

    func happened(_ detail: CallDetail) {
        door.noticed(detail)
        if let delivery = webhook?.delivery(of: detail) { recorder.tell(delivery) }
    }

    func published(_ stream: PublishedStream, in room: RoomID) { queue.yield((room, stream)) }

    /// No more streams are noted.
    func finish() { queue.finish() }
}
