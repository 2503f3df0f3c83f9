public import NIOCore

/// A client's media from outside its event loop.
extension NIOLoopBound<ClientMedia> {
    /// Runs `body` on the media's loop, then sends what it has written.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (ClientMedia) throws -> Result
    ) async throws -> Result {
        try await eventLoop.submit {
            defer { value.flush() }
            return try body(value)
        }.get()
    }

    /// Closes the connections. Does nothing on a loop that has shut down.
    public func stop() async { try? await eventLoop.submit { value.stop() }.get() }
}
