import MediaKernel
import PeerConnection
import RTP

/// The way of a packet through the room.
extension RoomForwarder {
    func handle(_ output: PeerConnection.Output, of connection: Connection, at now: Instant) {
        switch output {
        case .transmit:
            break
        case .media(let packet):
            guard let track = track(of: connection, mid: packet.mid) else { return }
            forward(packet, of: track, at: now)
        case .senderReport(let mid, let ntp, let rtpTimestamp):
            guard let track = track(of: connection, mid: mid), let ssrc = track.newestSSRC else {
                return
            }
            track.senderReport = (ssrc, ntp, rtpTimestamp)
            for subscription in track.subscriptions.values {
                report(track, to: subscription, at: now)
            }
        case .keyframeRequested(let mid):
            let entry = peers[connection.peer]?.offered.first { $0.value == mid }
            if let entry, let track = tracks[entry.key] { requestKeyframe(of: track, at: now) }
        case .stateChanged(let state):
            emit(.connection(connection.peer, connection.direction, state))
            if state == .connected, connection.direction == .subscribe {
                for track in tracks.values
                where track.codec.isVideo && track.subscriptions[connection.peer] != nil {
                    requestKeyframe(of: track, at: now)
                }
            }
        case .channelText(_, let text):
            emit(.dataText(connection.peer, connection.direction, text))
        case .channelOpened, .channelClosed:
            break
        }
    }

    private func track(of connection: Connection, mid: String) -> ForwardedTrack? {
        guard let peer = peers[connection.peer], peer.publish === connection else { return nil }
        if let id = peer.published[mid], let track = tracks[id], track.incoming.mid == mid {
            return track
        }
        let found = tracks.values.first { $0.publisher == peer.id && $0.incoming.mid == mid }
        peer.published[mid] = found?.id
        return found
    }

    private func forward(_ incoming: IncomingPacket, of track: ForwardedTrack, at now: Instant) {
        var packet = incoming.packet
        track.lastPacket = now
        if !track.isFlowing {
            track.isFlowing = true
            emit(.trackMedia(track.publisher, track.id, isFlowing: true))
        }
        if packet.ssrc != track.newestSSRC {
            track.newestSSRC = packet.ssrc
            track.nacks = NACKGenerator()
        }
        if track.repairsLoss { track.nacks.received(packet.sequenceNumber, at: now) }
        packet.paddingLength = 0
        guard let publish = peers[track.publisher]?.publish else { return }
        let isKeyframeStart =
            track.codec.isVideo
            && KeyframeDetection.isKeyframeStart(payload: packet.payload, codec: track.codec)
        if isKeyframeStart { track.keyframes.keyframeArrived() }
        if track.codec == .opus,
            let id = publish.core.headerExtensions[HeaderExtensionURI.audioLevel],
            let level = packet.extensions[id].flatMap(AudioLevel.init(extensionBytes:))
        {
            track.speaker.heard(level)
        }
        for subscription in track.subscriptions.values
        where subscription.connection.core.canSendMedia {
            if subscription.awaitsKeyframe {
                guard isKeyframeStart else { continue }
                subscription.awaitsKeyframe = false
            }
            send(packet, of: track, from: publish, to: subscription, at: now)
        }
    }

    private func send(
        _ packet: RTPPacket, of track: ForwardedTrack, from publish: Connection,
        to subscription: Subscription, at now: Instant
    ) {
        let core = subscription.connection.core
        let ids = subscription.extensionIDs ?? Self.extensionIDs(from: publish.core, to: core)
        subscription.extensionIDs = ids
        var rewritten = subscription.rewriter.rewrite(packet)
        rewritten.extensions = packet.extensions.remapped(by: ids)
        core.send(rewritten, mid: subscription.mid, at: now)
        if !subscription.hasReport { report(track, to: subscription, at: now) }
        loop.drain(subscription.connection, at: now)
    }

    /// Extensions that speak of the media itself pass; those that speak of one transport do not.
    private static func extensionIDs(
        from publisher: PeerConnection, to subscriber: PeerConnection
    ) -> [UInt8: UInt8] {
        var ids: [UInt8: UInt8] = [:]
        for uri in OutgoingTrack.forwardedExtensions {
            guard let from = publisher.headerExtensions[uri],
                let to = subscriber.headerExtensions[uri]
            else { continue }
            ids[from] = to
        }
        return ids
    }

    /// Passes the publisher's own tie of clocks on. Keeping its wall clock keeps its audio and
    /// video together at every subscriber, whatever our clock says. RFC 3550 sect. 7.2 allows
    /// this to translators.
    private func report(_ track: ForwardedTrack, to subscription: Subscription, at now: Instant) {
        guard subscription.connection.core.canSendMedia, let report = track.senderReport,
            report.ssrc == track.newestSSRC
        else { return }
        subscription.hasReport = true
        subscription.connection.core.sendSenderReport(
            mid: subscription.mid, ntp: report.ntp,
            rtpTimestamp: subscription.rewriter.rewrite(timestamp: report.rtpTimestamp))
    }

    func requestKeyframe(of track: ForwardedTrack, at now: Instant) {
        if track.keyframes.wanted(at: now) { sendKeyframeRequest(of: track, at: now) }
    }

    func sendKeyframeRequest(of track: ForwardedTrack, at now: Instant) {
        guard let publish = peers[track.publisher]?.publish else { return }
        publish.core.requestKeyframe(mid: track.incoming.mid)
        loop.drain(publish, at: now)
    }
}
