import ChildProcesses
import MediaKernel
import Rooms
import Streams

/// The quality of streams, as their bots report it.
extension StreamBook {
    /// The most deaths to remember of a stream; the oldest is dropped first.
    static let deathsMaximum = 10

    /// - Parameter tracks: all tracks that are currently left out.
    mutating func leftOut(
        _ tracks: [BotReport.LeftOutTrack], of id: StreamID, at time: UnixTime
    ) {
        update(id) { stream in
            stream.health.tracksLeftOut = tracks.map {
                HLSVariant.LeftOutTrack(
                    track: TrackID($0.track), peer: PeerID($0.peerID), name: $0.peer,
                    reason: $0.reason)
            }
            stream.updatedAt = time
        }
    }

    /// Takes the frame rate of the segments, which is below the plan's if pictures come too late.
    ///
    /// - Returns: whether the picture is reduced now; nil if unchanged.
    mutating func measured(
        _ id: StreamID, frameRate: Double, at time: UnixTime
    ) -> Bool? {
        guard let before = self[id] else { return nil }
        update(id) { stream in
            stream.health.frameRate = frameRate
            stream.updatedAt = time
            if stream.isReduced, stream.health.degradation == nil {
                stream.health.degradation = LiveStream.Degradation(
                    frameRate: stream.plan.frameRate ?? frameRate, layersThinned: 0,
                    videosLeftOut: 0, changes: 0, changedAt: time)
            }
        }
        guard let after = self[id], after.isReduced != before.isReduced else { return nil }
        return after.isReduced
    }

    mutating func degraded(
        _ id: StreamID, frameRate: Double, layersThinned: Int, videosLeftOut: Int,
        at time: UnixTime
    ) {
        counts.adaptations += 1
        update(id) { stream in
            let changes = (stream.health.degradation?.changes ?? 0) + 1
            stream.health.degradation = LiveStream.Degradation(
                frameRate: frameRate, layersThinned: layersThinned, videosLeftOut: videosLeftOut,
                changes: changes, changedAt: time)
            stream.updatedAt = time
        }
    }

    /// Takes a report about an output.
    ///
    /// - Returns: whether its state or its reason is another one.
    mutating func pushed(_ report: PushReport, of id: StreamID, at time: UnixTime) -> Bool {
        var isNew = false
        update(id) { stream in
            guard var status = stream.health.outputs[report.id] else {
                isNew = true
                stream.health.outputs[report.id] = PushStatus(
                    report: report, since: time,
                    startedAt: report.state == .live ? time : nil)
                return
            }
            isNew = status.take(report, at: time)
            stream.health.outputs[report.id] = status
        }
        return isNew
    }

    /// A bot replaces a dead one.
    mutating func restarted(_ id: StreamID, at time: UnixTime) {
        counts.botRestarts += 1
        update(id) { stream in
            stream.health.restarts += 1
            stream.health.frameRate = nil
            stream.updatedAt = time
        }
    }

    mutating func died(_ death: ProcessDeath, of id: StreamID) {
        update(id) { stream in
            stream.health.deaths = (stream.health.deaths + [death]).suffix(Self.deathsMaximum)
        }
    }

    /// The first segments of all layers are published.
    mutating func ran(_ id: StreamID, at now: Instant) {
        guard let life = self[life: id], statistics(of: id)?.startedAfter == nil else { return }
        counts.ran(after: now - life.requestedAt)
        updateStatistics(of: id) { $0.startedAfter = now - life.requestedAt }
    }
}
