import MediaKernel

/// Applies SCTP's events to the channels.
extension DataChannelTransport {
    func act(on event: SCTPEvent) {
        switch event {
        case .up(let outgoingStreams, let incomingStreams):
            guard phase == .connecting else { return fail(.restarted) }
            phase = .up
            idsEnd = UInt16(min(Int(idsEnd), outgoingStreams, incomingStreams))
            outputs.append(.connected)
        case .message(let stream, let payloadProtocol, let bytes):
            received(bytes, payloadProtocol, on: ChannelID(stream))
        case .incomingReset(let streams):
            for id in affected(streams) { incomingWasReset(id) }
        case .outgoingReset(let streams):
            for id in affected(streams) {
                channels[id]?.isOutgoingReset = true
                announceEnd(of: id)
                removeIfGone(id)
            }
        case .resetRefused(let streams):
            for id in affected(streams) {
                guard case .resetting(let since) = channels[id]?.phase else { continue }
                channels[id]?.phase = .draining(since: since, barrier: queue.firstNumber)
            }
        case .lost(let error):
            fail(error)
        }
    }

    /// An empty list of a reset event means every stream.
    private func affected(_ streams: [UInt16]) -> [ChannelID] {
        streams.isEmpty ? channels.keys.sorted() : streams.map(ChannelID.init)
    }

    private func incomingWasReset(_ id: ChannelID) {
        guard let channel = channels[id] else { return }
        channels[id]?.isIncomingReset = true
        announceEnd(of: id)
        // RFC 8831 sect. 6.7: reset the other direction in turn.
        if channel.isSendable { beginClosing(id) }
        // A peer that closes has seen our OPEN, even if its ACK comes later.
        channels[id]?.isAcknowledged = true
        removeIfGone(id)
    }

    private func removeIfGone(_ id: ChannelID) {
        if channels[id]?.isGone == true { channels[id] = nil }
    }

    private func received(_ bytes: [UInt8], _ payloadProtocol: UInt32, on id: ChannelID) {
        switch PayloadProtocol(rawValue: payloadProtocol) {
        case .establishment where bytes == ChannelOpening.acknowledgement:
            acknowledged(id)
        case .establishment:
            peerOpened(id, bytes)
        case .string:
            guard let text = String(validating: bytes, as: UTF8.self) else {
                statistics.protocolViolations += 1
                return
            }
            deliver(.text(id, text), on: id)
        case .emptyString:
            deliver(.text(id, ""), on: id)
        case .binary:
            deliver(.binary(id, bytes), on: id)
        case .emptyBinary:
            deliver(.binary(id, []), on: id)
        case nil:
            statistics.protocolViolations += 1
        }
    }

    /// Firefox' first messages may overtake its ACK. They imply it: a peer that sends on a channel
    /// of ours has seen the OPEN (RFC 8832 sect. 6).
    private func deliver(_ output: Output, on id: ChannelID) {
        guard let channel = channels[id] else {
            statistics.protocolViolations += 1
            return
        }
        acknowledged(id)
        if channel.isSendable { outputs.append(output) }
    }

    private func acknowledged(_ id: ChannelID) {
        guard let channel = channels[id], !channel.isAcknowledged else { return }
        channels[id]?.isAcknowledged = true
        guard case .opening = channel.phase else { return }
        channels[id]?.phase = .open
        outputs.append(
            .opened(
                id, label: channel.opening.label, protocol: channel.opening.protocol,
                isRemote: false))
    }

    private func peerOpened(_ id: ChannelID, _ bytes: [UInt8]) {
        // For a second OPEN on a channel, or one with an id of ours, there is no channel to refuse.
        guard channels[id] == nil, id.rawValue < idsEnd else {
            statistics.protocolViolations += 1
            return
        }
        guard let opening = ChannelOpening(parsing: bytes), id.rawValue % 2 != ownParity,
            channels.count < Self.channelsMaximum
        else {
            statistics.protocolViolations += 1
            return refuse(id)
        }
        do throws(DataChannelError) {
            try queue.append(
                .init(
                    stream: id.rawValue, payloadProtocol: .establishment,
                    bytes: ChannelOpening.acknowledgement), isAnswer: true)
        } catch {
            return fail(.overflow)
        }
        channels[id] = Channel(
            opening: opening, phase: .open, isAcknowledged: true, isVisible: true)
        outputs.append(
            .opened(id, label: opening.label, protocol: opening.protocol, isRemote: true))
    }

    /// Resets our side of a stream without telling the application, so that the peer's channel
    /// closes.
    private func refuse(_ id: ChannelID) {
        guard
            let nothing = try? ChannelOpening(
                label: "", protocol: "", isOrdered: true, reliability: .reliable)
        else { return }
        channels[id] = Channel(
            opening: nothing, phase: .open, isAcknowledged: true, isVisible: false)
        beginClosing(id)
    }
}
