import MediaClient
import MediaKernel
import RemoteRoom

@testable import OpenVidu

extension FuzzTarget {
    /// The bytes are frames, cut at each zero: those of a client, and those of a server in whose
    /// session we are.
    func talk(_ bytes: [UInt8]) {
        var session = ClientSession(
            ClientSession.Entry(session: "s", token: "wss://h", secret: "x", metadata: ""),
            receivesVideo: true)
        var now = Instant.zero
        session.opened(at: now)
        for piece in bytes.split(separator: 0).prefix(64) {
            let frame = String(decoding: piece, as: UTF8.self)
            if let call = try? OpenViduCall(frame) { read(call) }
            now += .milliseconds(500)
            session.received(frame, at: now)
            session.handleTimeout(at: now)
            while let order = session.poll() {
                switch order {
                case .reconnect:
                    session.closed(at: now)
                    session.opened(at: now)
                case .media(.offer(let connection, _)):
                    session.offered(connection, "v=0", at: now)
                case .media(.accept(let connection, _)):
                    session.accepted(connection, candidates: [], at: now)
                default: break
                }
            }
        }
    }

    /// What each method reads, whatever the method.
    private func read(_ call: OpenViduCall) {
        if let join = try? JoinCall(call) {
            _ = DisplayName.found(in: join.metadata, maximum: 100)
        }
        _ = try? StreamTerms(call.parameters)
        _ = try? Participant(call.parameters)
        guard let message = try? call.parameters.optionalText("message", maximum: .max)
        else { return }
        _ = try? OutgoingSignal(message)
        _ = StreamTerms.dimensions(in: message)
    }
}
