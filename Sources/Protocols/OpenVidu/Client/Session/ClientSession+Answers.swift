internal import MediaClient
internal import MediaKernel
internal import PeerConnection
internal import RemoteRoom

/// Answers to our calls.
extension ClientSession {
    mutating func answered(
        _ purpose: Pending.Purpose, _ answer: Result<CallParameters, OpenViduError>,
        at now: Instant
    ) {
        switch (purpose, answer) {
        case (.ping, .success), (.other, .success): break
        case (.ping, .failure(let error)): lost("the server refuses a ping: \(error.message)")
        case (.other, .failure(let error)): note("call refused: \(error.message)")
        case (.join, .success(let result)): joined(result, at: now)
        case (.join, .failure(let error)): refused(error)
        case (.comeBack, .success): cameBack(at: now)
        case (.comeBack, .failure): placeLost(at: now)
        case (.prepare(let connection), .success(let result)):
            prepared(connection, result, at: now)
        case (.receive(let connection), .success(let result)):
            received(connection, result, at: now)
        case (.prepare(let connection), .failure(let error)),
            (.receive(let connection), .failure(let error)):
            refused(connection, error, at: now)
        }
    }

    // MARK: Joining

    private mutating func joined(_ result: CallParameters, at now: Instant) {
        var present: [Participant] = []
        do throws(OpenViduError) {
            ownID = try result.identifier("id")
            rpcSession = try result.optionalText(
                "sessionId", maximum: OpenViduLimits.identifierBytes)
            let kind = try result.optionalText("mediaServer", maximum: 64) ?? "kurento"
            serverOffers = kind == "mediasoup"
            let others = try result.objects("value", maximum: ClientLimits.participants) ?? []
            for other in others {
                do throws(OpenViduError) {
                    present.append(try Participant(other))
                } catch {
                    note("the server's frame is not understood: joinRoom: \(error.message)")
                }
            }
        } catch {
            return order(.end(.protocolViolation("joinRoom: \(error.message)")))
        }
        membership = .inside
        renewPatience(at: now)
        isPlaceTaken = false
        if !hasJoined { order(.joined) }
        hasJoined = true
        let kept = Set(present.map(\.id))
        for gone in roster.participants where !kept.contains(gone.id) { remove(gone.id) }
        for participant in present where isOther(participant.id) { put(participant, at: now) }
        tellRoster()
    }

    private mutating func refused(_ error: OpenViduError) {
        // A wrong secret, or a token that was used or is unknown, never admits us.
        let end =
            error.code == OpenViduError.userUnauthorized
            ? RoomEnd.closed(code: error.code, message: error.message)
            : RoomEnd.refused(code: error.code, message: error.message)
        isPlaceTaken =
            error.code == OpenViduError.userExists && (hasJoined || entry.secret != nil)
        order(isPlaceTaken ? .reconnect(end) : .end(end))
    }

    /// Connections that live go on; the others are replaced.
    private mutating func cameBack(at now: Instant) {
        membership = .inside
        for stream in receptions.names {
            guard let reception = receptions[stream], reception.state != .connected else {
                continue
            }
            if case .open = reception.phase { restart(stream, at: now, after: .zero) }
        }
        renewPatience(at: now)
    }

    /// Nothing could be tried meanwhile.
    private mutating func renewPatience(at now: Instant) {
        for reception in Array(receptions.values)
        where reception.state != .connected && !reception.isLeftOut {
            guard reception.disconnectedSince != nil else { continue }
            receptions[reception.stream]?.disconnectedSince = now
        }
        receptions.findDue(at: now)
    }

    /// The server no longer knows us. We join as if for the first time, with new connections.
    private mutating func placeLost(at now: Instant) {
        rpcSession = nil
        for stream in receptions.names {
            receptions[stream]?.isSubscribed = false
            receptions[stream]?.isLeftOut = false
            restart(stream, at: now, after: .zero)
        }
        join(at: now)
    }

    // MARK: Streams

    private mutating func prepared(
        _ connection: StreamConnectionID, _ result: CallParameters, at now: Instant
    ) {
        guard let stream = stream(on: connection), receptions[stream]?.phase == .preparing else {
            return
        }
        do throws(OpenViduError) {
            let offer = try result.text("sdpOffer", maximum: OpenViduLimits.sdpBytes)
            receptions[stream]?.phase = .answering(isForced: false)
            order(.media(.answer(connection, offer, receptions[stream]?.tracks ?? [:])))
        } catch {
            failed(connection, "prepareReceiveVideoFrom: \(error.message)", at: now)
        }
    }

    private mutating func received(
        _ connection: StreamConnectionID, _ result: CallParameters, at now: Instant
    ) {
        guard let stream = stream(on: connection), let phase = receptions[stream]?.phase else {
            return
        }
        do throws(OpenViduError) {
            switch phase {
            case .asking:
                let answer = try result.text("sdpAnswer", maximum: OpenViduLimits.sdpBytes)
                order(.media(.accept(connection, answer)))
            case .confirming: break
            case .waiting, .offering, .preparing, .answering, .open: return
            }
            receptions[stream]?.isSubscribed = true
            receptions[stream]?.phase = .open(since: now)
        } catch {
            failed(connection, "receiveVideoFrom: \(error.message)", at: now)
        }
    }

    private mutating func refused(
        _ connection: StreamConnectionID, _ error: OpenViduError, at now: Instant
    ) {
        guard let stream = stream(on: connection), let reception = receptions[stream] else {
            return
        }
        let isGone = [OpenViduError.userUnknown, OpenViduError.userNotStreaming].contains(
            error.code)
        // It ended while the socket was cut, and nobody told us.
        if isGone, reception.isSubscribed {
            drop(stream)
            roster.change(reception.publisher) { $0 = nil }
            return tellRoster()
        }
        failed(connection, error.message, at: now)
    }
}
