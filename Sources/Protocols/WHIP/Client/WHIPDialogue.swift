import Clocks
import Logging
import MediaClient
import MediaKernel
import RemoteRoom
import SDP

/// The requests of one client to a WHIP or WHEP endpoint. Confined to the actor that owns it.
final class WHIPDialogue {
    /// How long to retry while the server is busy or the source is not on air.
    static let patience: Duration = .seconds(60)
    /// How long a client that leaves waits for the response to its offer.
    static let lastWait: Duration = .seconds(2)

    /// The description in the server's response to our offer.
    enum Opening {
        case answer(SessionDescription)
        /// The server refuses our offer and sends its own, to be answered by
        /// ``answer(_:isolation:)``. draft-ietf-wish-whep-03 sect. 4.3.
        case counterOffer(SessionDescription)
    }

    private var exchange: WHIPExchange
    private let http = WHIPHTTP()
    private let logger: Logger

    init(_ exchange: WHIPExchange, logger: Logger) {
        self.exchange = exchange
        self.logger = logger
    }

    /// Where the server may have us send to. After redirections it is the one that has answered.
    func reach(isolation: isolated (any Actor)? = #isolation) async -> ServerReach {
        await ServerReach.found(exchange.host)
    }

    /// Begins a session with our offer.
    func offer(
        _ offer: SessionDescription, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Opening {
        let begin = MonotonicClock.now
        let text = offer.rendered()
        var request = exchange.offer(text)
        while true {
            let response = try await ask(request)
            let step = exchange.received(response)
            // The session is known by now, and will be ended.
            try Task.checkCancellation()
            switch step {
            case .answered(let answer): return .answer(try Self.description(in: answer))
            case .countered(let offer): return .counterOffer(try Self.description(in: offer))
            case .ask(let next): request = next
            case .over(let end): throw end
            case .accepted:
                throw RoomEnd.protocolViolation("the response to the offer has no answer")
            case .again(let pause):
                let left = Self.patience - (MonotonicClock.now - begin)
                guard left > .zero else { throw exchange.lackOfPatience(after: response) }
                try await Task.sleep(for: min(pause, left))
                request = exchange.offer(text)
            }
        }
    }

    /// Sends an offer. A cancelled task waits a little longer for the response: without it, the
    /// session could not be ended.
    private func ask(
        _ request: WHIPExchange.Request, isolation: isolated (any Actor)? = #isolation
    ) async throws(RoomEnd) -> WHIPExchange.Response {
        let sending = http.sending(request)
        let result = await withTaskCancellationHandler {
            await sending.value
        } onCancel: {
            Task {
                try? await Task.sleep(for: Self.lastWait)
                sending.cancel()
            }
        }
        return try result.get()
    }

    /// Answers the server's own offer.
    func answer(
        _ answer: SessionDescription, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard let request = exchange.answer(answer.rendered()) else { return }
        switch exchange.received(try await http.send(request)) {
        case .accepted: break
        case .over(let end): throw end
        case .answered, .countered, .ask, .again:
            throw RoomEnd.protocolViolation("the answer was not accepted")
        }
    }

    /// Ends the session, even if the task is cancelled: the server would otherwise keep it until
    /// our ICE consent expires.
    func end(isolation: isolated (any Actor)? = #isolation) async {
        guard let request = exchange.end() else { return }
        let result = await http.sending(request).value
        if case .failure(let error) = result {
            logger.warning("session not ended", metadata: ["error": "\(error)"])
        }
    }

    private static func description(in text: String) throws(RoomEnd) -> SessionDescription {
        do throws(SDPError) {
            return try SessionDescription.parse(text)
        } catch {
            throw .protocolViolation("the session description: \(error)")
        }
    }

    func close(isolation: isolated (any Actor)? = #isolation) async { await http.close() }
}
