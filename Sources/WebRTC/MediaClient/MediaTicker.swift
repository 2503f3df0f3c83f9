import NIOCore

/// Lets time pass for a client's media, until stopped. A task of the event loop's own for each
/// tick, with its promise and closures, would cost as much as the tick.
final class MediaTicker: NIOScheduledCallbackHandler, Sendable {
    static let intervalDefault: Duration = .milliseconds(10)

    private let interval: TimeAmount
    private let media: NIOLoopBound<ClientMedia>
    private let next: NIOLoopBoundBox<NIOScheduledCallback?>

    init(_ media: ClientMedia, every interval: Duration?, on eventLoop: any EventLoop) {
        self.interval = TimeAmount(interval ?? Self.intervalDefault)
        self.media = NIOLoopBound(media, eventLoop: eventLoop)
        next = NIOLoopBoundBox(nil, eventLoop: eventLoop)
    }

    /// An event loop that is shutting down refuses; then nothing is left to be done.
    func schedule(on eventLoop: some EventLoop) {
        next.value = try? eventLoop.scheduleCallback(in: interval, handler: self)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        // Before the tick, which may be the last one.
        schedule(on: eventLoop)
        media.value.tick()
    }

    func stop() {
        next.value?.cancel()
        next.value = nil
    }
}
