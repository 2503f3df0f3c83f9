import MediaKernel
import PeerConnection
import RTP

/// The path of a packet through the room.
extension RoomForwarder {
    func handle(_ output: PeerConnection.Output, of connection: Connection, at now: Instant) {
        switch output {
        case .transmit:
            break
        case .media(let packet):
            guard let track = connection.track(in: packet.section) else { return }
            let peer = connection.peer
            guard peer.budget.take(bytes: packet.packet.payload.count, at: now) else {
                loop.countExcess()
                if peer.budget.warns(at: now) { emit(.excessMedia(peer.id, nil)) }
                return
            }
            forward(packet, of: track, at: now)
        case .senderReport(let mid, let encoding, let ntp, let timestamp):
            guard let track = connection.track(mid: mid),
                track.encodings.indices.contains(encoding)
            else { return }
            let isForwarded = track.encodings[encoding].reported(
                .init(ntp: ntp, timestamp: timestamp), at: now)
            guard isForwarded else { return loop.countExcess() }
            report(track, encoding: encoding, at: now)
        case .keyframeRequested(let mid, _):
            let peer = connection.peer
            guard let track = connection.forwarded[mid], track.codec.isVideo,
                let subscription = track.subscriptions[peer.id],
                let current = subscription.forwarder.current,
                subscription.keyframes.take(at: now)
            else { return }
            requestKeyframe(of: track, encoding: current.encoding, at: now)
        case .stateChanged(let state):
            emit(.connection(connection.peer.id, connection.key, state))
            if state == .connected, connection.key != .publish {
                allocate(connection.peer, at: now)
                requestAwaited(by: connection.peer, at: now)
            }
        case .channelMessage(_, let message):
            guard connection.peer.texts.take(at: now) else { return }
            switch message {
            case .text(let text): emit(.dataText(connection.peer.id, connection.key, text))
            case .binary(let bytes):
                emit(.dataBinary(connection.peer.id, connection.key, bytes))
            }
        case .channelOpened(let handle, _, _):
            if connection.key.isNamed { connection.channel = handle }
            guard connection === connection.peer.receiving else { return }
            connection.peer.hasChannel = true
            allocate(connection.peer, at: now)
        case .channelClosed(let handle):
            if connection.channel == handle { connection.channel = nil }
        }
    }

    private func forward(_ incoming: IncomingPacket, of track: ForwardedTrack, at now: Instant) {
        var packet = incoming.packet
        guard track.encodings.indices.contains(incoming.encoding),
            let publish = track.source
        else { return }
        let encoding = track.encodings[incoming.encoding]
        guard encoding.isNew(packet) else { return }
        if !track.isFlowing {
            track.isFlowing = true
            emit(.trackMedia(track.publisher, track.id, isFlowing: true))
        }
        packet.paddingLength = 0
        var summary = PayloadSummary(payload: packet.payload, codec: track.codec)
        let hasOtherSizes = track.received(
            packet, encoding: incoming.encoding, summary: summary, at: now)
        guard track.budget.take(bytes: packet.payload.count, at: now) else {
            loop.countExcess()
            if track.budget.warns(at: now) {
                emit(.excessMedia(track.publisher, track.id))
            }
            return
        }
        if track.codec == .opus {
            let level = publish.core.audioLevelID
                .flatMap { packet.extensions[$0] }.flatMap(AudioLevel.init(extensionBytes:))
            if let level { track.speaker.heard(level) }
            summary.isDispensable = !encoding.passes(packet, level: level, at: now)
            guard
                let number = encoding.number(
                    of: packet.sequenceNumber, isLeftOut: summary.isDispensable)
            else { return }
            packet.sequenceNumber = number
            if encoding.reports.isOwed, !encoding.isQuiet {
                report(track, encoding: incoming.encoding, at: now)
            }
        }
        if hasOtherSizes { track.hasNewSizes = true }
        if track.takesNewSizes(at: now) { ladderChanged(of: track, at: now) }
        var forwarded = ForwardedPacket(packet, summary, of: encoding, at: incoming.encoding)
        for subscription in track.subscriptions.values
        where subscription.connection.core.canSendMedia {
            let before = subscription.forwarder.beginnings
            send(&forwarded, of: track, from: publish, to: subscription, at: now)
            guard subscription.forwarder.beginnings != before, encoding.isAwaited else { continue }
            // The key frame's first packet came late. Send the later packets that arrived before
            // it.
            for (packet, summary) in encoding.recent(after: packet.sequenceNumber) {
                var forwarded = ForwardedPacket(
                    packet, summary, of: encoding, at: incoming.encoding)
                send(&forwarded, of: track, from: publish, to: subscription, at: now)
            }
        }
    }

    private func send(
        _ packet: inout ForwardedPacket, of track: ForwardedTrack, from publish: Connection,
        to subscription: Subscription, at now: Instant
    ) {
        // First: the packets of the other layers need not be copied and renamed.
        guard subscription.forwarder.mayTake(packet.encoding) else { return }
        let before = subscription.forwarder.beginnings
        let ids = subscription.extensionIDs(from: publish.core)
        var rewritten = packet.packet(by: ids)
        guard
            subscription.forwarder.forward(
                &rewritten, encoding: packet.encoding, summary: packet.summary,
                report: packet.report, parameterSets: packet.parameterSets, at: now)
        else { return }
        // The path is limited and another layer has begun: there is no room to retransmit the old
        // one.
        if subscription.isLimited, subscription.forwarder.beginnings != before {
            subscription.stream.forgetSent()
        }
        for sets in subscription.forwarder.prologue { send(sets, to: subscription, at: now) }
        send(rewritten, to: subscription, at: now)
        if subscription.reportedBeginning != subscription.forwarder.beginnings {
            report(track, encoding: packet.encoding, to: subscription)
            loop.drain(subscription.connection, at: now)
        }
    }

    private func send(
        _ packet: consuming RTPPacket, to subscription: Subscription, at now: Instant
    ) {
        let connection = subscription.connection
        let datagram = connection.core.datagram(of: packet, on: subscription.stream, at: now)
        if let datagram { loop.send(datagram.bytes, to: datagram.address, over: connection) }
    }

    /// Forwards the publisher's latest sender report. Silence needs no synchronization, so
    /// listeners get the report with the sound that follows it. Recorders get it always, to follow
    /// the clocks.
    private func report(_ track: ForwardedTrack, encoding: Int, at now: Instant) {
        let isQuiet = track.encodings[encoding].isQuiet
        track.encodings[encoding].reports.isOwed = isQuiet
        for (id, subscription) in track.subscriptions
        where !isQuiet || peers[id]?.isRecorder == true {
            report(track, encoding: encoding, to: subscription)
            loop.drain(subscription.connection, at: now)
        }
    }

    /// Forwards the publisher's own mapping of wall clock to RTP time. It keeps the publisher's
    /// audio and video in sync at every subscriber, whatever our clock says. RFC 3550 sect. 7.2
    /// allows this to translators.
    private func report(_ track: ForwardedTrack, encoding: Int, to subscription: Subscription) {
        guard subscription.connection.core.canSendMedia,
            let report = track.encodings[encoding].report,
            let timestamp = subscription.forwarder.timestamp(of: report, encoding: encoding)
        else { return }
        subscription.reportedBeginning = subscription.forwarder.beginnings
        subscription.connection.core.sendSenderReport(
            on: subscription.stream, ntp: report.ntp, rtpTimestamp: timestamp)
    }
}
