import MediaClient
import NIOCore
import PeerConnection
import RemoteRoom

/// The media connection of a WHIP or WHEP client. Confined to the actor that owns it.
final class WHIPMedia {
    /// The connection's states, for one reader.
    let states: AsyncStream<PeerConnectionState>
    private let stateSink: AsyncStream<PeerConnectionState>.Continuation
    private let eventLoop: any EventLoop
    private let makeObserver: @Sendable () -> any ClientMediaObserver
    private var media: NIOLoopBound<ClientMedia>?

    init(
        eventLoop: any EventLoop, makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.eventLoop = eventLoop
        self.makeObserver = makeObserver
        (states, stateSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    /// - Parameter feed: receives the path's states.
    func open(
        _ configuration: ClientMedia.Configuration, feed: RoomEvents,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let stateSink = stateSink
        media = try await ClientMedia.open(
            on: eventLoop, configuration: configuration, makeObserver: makeObserver
        ) { _, state in
            feed.send(.path(state))
            stateSink.yield(state)
        }
    }

    func run<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (ClientMedia) throws -> Result
    ) async throws -> Result {
        guard let media else { throw ClientMediaError.closed }
        return try await media.run(body)
    }

    /// Ends `states`.
    func finish() { stateSink.finish() }

    func close(isolation: isolated (any Actor)? = #isolation) async {
        await media?.stop()
        media = nil
    }
}
