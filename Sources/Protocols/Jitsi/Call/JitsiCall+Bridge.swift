internal import MediaKernel
internal import RemoteRoom

/// The bridge's channel.
extension JitsiCall {
    mutating func openChannel() {
        guard let session, let place = session.channelPlace else { return }
        self.session?.channel = .opening
        order(.media(.openChannel(session.number, place)))
    }

    mutating func channelOpened(_ number: Int, at now: Instant) {
        guard let session, session.number == number, session.channel != .open else { return }
        self.session?.channel = .open
        if case .socket? = session.channelPlace { tell(.hello) }
        for request in wishes.begin(receivesVideo: entry.receivesVideo) { tell(request) }
    }

    /// A WebSocket is opened again. A data channel lives as long as its connection.
    mutating func channelClosed(_ number: Int, at now: Instant) {
        guard let session, session.number == number else { return }
        let isSocket = session.channelPlace != .data
        self.session?.channel = .waiting(isSocket ? now + CallLimits.firstPause : nil)
    }

    mutating func received(_ text: String, onChannelOf number: Int, at now: Instant) {
        guard session?.number == number else { return }
        do throws(JitsiFault) {
            take(try BridgeMessage(text))
        } catch {
            note("the bridge's message is not understood: \(error)")
        }
    }

    private mutating func take(_ message: BridgeMessage) {
        switch message {
        case .speaker(let endpoint, let isSilence): tellSpeakers(isSilence ? [] : [endpoint])
        case .endpointMessage(let sender, let isPrivate, let payload):
            guard roster[sender] != nil else { return }
            order(
                .message(
                    HeardMessage(
                        sender: PeerID(sender), type: "endpoint-message",
                        content: OpaqueJSON(text: JitsiJSON.text(payload)), isPrivate: isPrivate)))
        case .other: break
        }
    }

    /// The bridge tells who speaks, not how loudly.
    mutating func tellSpeakers(_ endpoints: [String]) {
        let speakers = endpoints.compactMap { endpoint -> RemoteSpeaker? in
            guard roster[endpoint] != nil else { return nil }
            let track = book.sources(of: endpoint).first { !$0.isVideo }
            return RemoteSpeaker(
                peer: PeerID(endpoint), track: TrackID(track?.name.description ?? ""), level: 100)
        }
        guard speakers != told.speakers else { return }
        told.speakers = speakers
        order(.speakers(speakers))
    }

    private mutating func tell(_ request: BridgeRequest) { order(.tellBridge(request.text)) }

    // MARK: Wishes

    mutating func want(_ track: TrackID, layer: LayerPreference, at now: Instant) {
        wishes.want(track, layer: layer)
        tellWishes(at: now)
    }

    mutating func want(_ track: TrackID, isHeard: Bool, at now: Instant) {
        wishes.want(track, isHeard: isHeard)
        tellWishes(at: now)
    }

    var wishesDeadline: Instant? { session?.channel == .open ? wishes.deadline : nil }

    mutating func tellWishes(at now: Instant) {
        guard session?.channel == .open else { return }
        for request in wishes.take(at: now, receivesVideo: entry.receivesVideo) { tell(request) }
    }
}
