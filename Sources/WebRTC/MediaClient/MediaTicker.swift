import NIOCore

/// Media that time passes for.
protocol TickedMedia: AnyObject {
    func tick()
}

/// Calls a client's media at intervals until stopped. Scheduling an event loop task for each tick,
/// with its promise and closures, would cost as much as the tick.
final class MediaTicker: NIOScheduledCallbackHandler, Sendable {
    static let intervalDefault: Duration = .milliseconds(10)

    private let interval: TimeAmount
    private let media: NIOLoopBound<any TickedMedia>
    private let next: NIOLoopBoundBox<NIOScheduledCallback?>

    init(_ media: any TickedMedia, every interval: Duration?, on eventLoop: any EventLoop) {
        self.interval = TimeAmount(interval ?? Self.intervalDefault)
        self.media = NIOLoopBound(media, eventLoop: eventLoop)
        next = NIOLoopBoundBox(nil, eventLoop: eventLoop)
    }

    /// Fails if the event loop is shutting down; then there is nothing left to do.
    func schedule(on eventLoop: some EventLoop) {
        next.value = try? eventLoop.scheduleCallback(in: interval, handler: self)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        // Schedule before the tick, which may stop the ticker.
        schedule(on: eventLoop)
        media.value.tick()
    }

    func stop() {
        next.value?.cancel()
        next.value = nil
    }
}
