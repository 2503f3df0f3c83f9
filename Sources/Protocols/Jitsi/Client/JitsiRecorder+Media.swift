internal import Clocks
internal import Logging
internal import MediaClient
internal import MediaKernel
internal import NIOCore
internal import PeerConnection
internal import RemoteRoom
internal import SDP
internal import Synchronization

/// The session whose connection the media have now.
final class MediaSession: Sendable {
    private let number = Mutex(0)

    var current: Int { number.withLock { $0 } }

    /// - Returns: whether it is another one than before.
    func begin(_ new: Int) -> Bool {
        number.withLock { number in
            defer { number = new }
            return number != new
        }
    }
}

/// The media side, which runs on its own event loop.
extension JitsiRecorder {
    func startMedia() async throws {
        let (facts, session) = (facts, mediaSession)
        let media = try await ClientMedia.open(
            on: eventLoop,
            configuration: ClientMedia.Configuration(
                directions: [.subscribe],
                channel: ChannelFormat(
                    label: BridgeChannel.label, protocol: BridgeChannel.protocol),
                opensSubscribeChannel: true, followsCodecs: true, network: guest.network,
                receivesVideo: guest.receivesVideo, readingInterval: guest.readingInterval),
            makeObserver: makeObserver,
            stateChanged: { facts.tell(.state(session.current, $1)) },
            channelOpened: { facts.tell(.channelOpened(session.current)) },
            channelText: { facts.tell(.heard(session.current, $0)) })
        self.media = media
        if let shortage = try await media.run({ $0.receiveBufferShortage }) {
            logger.warning("receive buffer is small", metadata: ["reason": "\(shortage)"])
        }
    }

    func stopMedia() async {
        guard let media else { return }
        self.media = nil
        await media.stop()
    }

    /// The media's loop is given the work before anything is waited for, since other orders follow
    /// meanwhile.
    func obey(_ order: CallMediaOrder) async {
        guard let media else { return }
        let session = mediaSession
        switch order {
        case .describe(let number, let offer):
            let offer = filter.admitted(offer)
            let described = media.eventLoop.submit {
                defer { media.value.flush() }
                if session.begin(number) { try media.value.beginAnew() }
                return try media.value.subscribeOffer(offer)
            }
            do {
                call.described(number, try await described.get(), at: MonotonicClock.now)
            } catch {
                call.mediaFailed(number, "\(error)", at: MonotonicClock.now)
            }
        case .openChannel(let number, .socket(let url)):
            socket?.close()
            socket = BridgeSocket(url, of: number, tls: tls, on: group, telling: facts) {
                [weak self] addresses in await self?.admitted(addresses)
            }
        // It opens with the connection.
        case .openChannel(_, .data): break
        case .close(let number):
            socket?.close()
            socket = nil
            let closed = media.eventLoop.submit {
                defer { media.value.flush() }
                guard session.current == number, session.begin(0) else { return }
                try media.value.beginAnew()
            }
            try? await closed.get()
        }
    }

    private func admitted(_ addresses: [TransportAddress]) -> TransportAddress? {
        filter.first(of: addresses)
    }

    func tellBridge(_ text: String) {
        if let socket { return socket.send(text) }
        media?.eventLoop.execute { [media] in
            media?.value.send(text)
            media?.value.flush()
        }
    }
}
