/// A room's events on their way to the program, and the signal of their end.
public struct RoomEvents: Sendable {
    /// The most events that wait for the program. Later ones are dropped.
    public static let maximum = 4096

    public let stream: AsyncStream<RemoteRoomEvent>
    private let sink: AsyncStream<RemoteRoomEvent>.Continuation
    private let end: AsyncStream<Never>
    private let endSink: AsyncStream<Never>.Continuation

    public init() {
        (stream, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximum))
        (end, endSink) = AsyncStream.makeStream()
    }

    public func send(_ event: RemoteRoomEvent) { sink.yield(event) }

    /// Ends the stream and all waits for its end.
    public func finish() {
        sink.finish()
        endSink.finish()
    }

    /// Waits until `finish()`.
    public func waitForEnd() async { for await _ in end {} }
}
