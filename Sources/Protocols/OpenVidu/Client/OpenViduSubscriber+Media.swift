internal import Clocks
internal import Logging
internal import MediaClient
internal import NIOCore
internal import PeerConnection
internal import RemoteRoom
internal import SDP

/// The media side, which runs on its own event loop.
extension OpenViduSubscriber {
    func startMedia(
        stateChanged: @escaping @Sendable (StreamConnectionID, PeerConnectionState) -> Void
    ) async throws {
        let media = try await StreamConnections.open(
            on: eventLoop,
            configuration: ClientMedia.Configuration(
                network: guest.network, receivesVideo: guest.receivesVideo,
                readingInterval: guest.readingInterval),
            makeObserver: makeObserver, stateChanged: stateChanged)
        self.media = media
        if let shortage = try await media.submit({ $0.receiveBufferShortage }).get() {
            logger.warning("receive buffer is small", metadata: ["reason": "\(shortage)"])
        }
    }

    func stopMedia() async {
        guard let media else { return }
        self.media = nil
        await media.stop()
    }

    /// What comes of it is told to the session, which orders the rest. The media's loop is given the
    /// work before anything is waited for, since other orders follow meanwhile: a connection must
    /// not be closed before it is made.
    func obey(_ order: MediaOrder) async {
        guard let media else { return }
        do {
            switch order {
            case .offer(let id, let tracks):
                let offer = try await media.submit {
                    try $0.offer(id, tracks: tracks).rendered()
                }.get()
                session.offered(id, offer, at: MonotonicClock.now)
            case .accept(let id, let text):
                let answer = filter.admitted(try SessionDescription.parse(text))
                let candidates = try await media.flatSubmit { $0.accept(answer, of: id) }.get()
                session.accepted(id, candidates: candidates, at: MonotonicClock.now)
            case .answer(let id, let text, let tracks):
                let offer = filter.admitted(try SessionDescription.parse(text))
                let (answer, candidates) = try await media.flatSubmit {
                    $0.answer(offer, as: id, tracks: tracks)
                }.get()
                session.answered(
                    id, answer.rendered(), candidates: candidates, at: MonotonicClock.now)
            case .trickle(let id, let candidate):
                guard filter.admits(candidate: candidate) else { return }
                try await media.submit { $0.trickle(candidate, to: id) }.get()
            case .close(let id):
                try await media.submit { $0.close(id) }.get()
            }
        } catch {
            session.mediaFailed(order.connection, "\(error)", at: MonotonicClock.now)
        }
    }
}

extension MediaOrder {
    fileprivate var connection: StreamConnectionID {
        switch self {
        case .offer(let id, _), .accept(let id, _), .answer(let id, _, _), .trickle(let id, _),
            .close(let id):
            id
        }
    }
}
