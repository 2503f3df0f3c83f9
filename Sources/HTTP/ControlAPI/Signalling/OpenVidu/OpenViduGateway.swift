public import Tokens

/// The way of OpenVidu's clients into the rooms. `Service` implements it.
public protocol OpenViduGateway: Sendable {
    /// Lives as long as the socket, whose client has not said yet who it is: reads `messages` to
    /// their end and answers through `socket`.
    func open(
        _ client: OpenViduClient, socket: WebSocketConnection, messages: WebSocketMessages
    ) async
}

/// A client that has opened a socket.
public struct OpenViduClient: Sendable {
    /// Checks a room token.
    public let claims: @Sendable (String) async throws(APIError) -> RoomTokenClaims
    /// Whether its address may try another secret: wrong ones are counted with those of the REST API.
    public let mayGuess: @Sendable () -> Bool
    public let guessedWrong: @Sendable () -> Void
}
