public import Logging
public import MediaClient
internal import MediaKernel
public import NIOCore
public import RemoteRoom

/// A session on a server that speaks OpenVidu 2's protocol.
public struct OpenViduAddress: RoomAddress {
    /// By what the server admits us.
    public enum Credential: Hashable, Sendable {
        /// OpenVidu's secret: we are the session's recorder, whom nobody sees.
        case secret(String)
        /// A token, which is mostly good for one use: we are a participant like others.
        case token(String)
    }

    /// The address of the socket, without a query: `wss://example.org/openvidu`.
    public var socket: String
    public var session: String
    public var credential: Credential

    public init(socket: String, session: String, credential: Credential) {
        self.socket = socket
        self.session = session
        self.credential = credential
    }

    /// A connection fails after 30 s. The server is sought for a minute, and so are lost streams.
    public var lossMaximum: Duration { .seconds(100) }

    public func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> OpenViduSubscriber {
        OpenViduSubscriber(
            address: self, guest: guest, group: group, logger: logger, makeObserver: makeObserver)
    }

    /// How the session is told who we are. A token is an address, as OpenVidu's clients have it.
    func entry(for guest: RoomGuest) -> ClientSession.Entry {
        let isPath: (Character) -> Bool = { $0 == "/" || $0 == "?" }
        let scheme = socket.hasPrefix("ws://") ? "ws://" : "wss://"
        let place = socket.dropFirst(scheme.count).prefix { !isPath($0) }
        let base = "\(scheme)\(place)?sessionId=\(session)"
        switch credential {
        case .secret(let secret):
            return ClientSession.Entry(
                session: session, token: "\(base)&secret=\(secret)&recorder=true", secret: secret,
                metadata: "")
        case .token(let token):
            return ClientSession.Entry(
                session: session, token: token.contains("?") ? token : "\(base)&token=\(token)",
                secret: nil,
                metadata: OpenViduFrame.text(["clientData": .string(guest.name)]))
        }
    }
}
