import ChildProcesses
import MediaKernel
import Rooms
import Streams

/// How well the streams are made, as their bots say.
extension StreamBook {
    /// Deaths of a stream that are remembered; the oldest is forgotten first.
    static let deathsMaximum = 10

    /// - Parameter tracks: all that are left out now.
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

    /// What the segments hold, which is less than the plan says where pictures come too late.
    ///
    /// - Returns: whether the picture is reduced now, where that has changed.
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

    /// A bot takes the place of one that has died.
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

    /// The first segments of all layers are there.
    mutating func ran(_ id: StreamID, at now: Instant) {
        guard let life = self[life: id], statistics(of: id)?.startedAfter == nil else { return }
        counts.ran(after: now - life.requestedAt)
        updateStatistics(of: id) { $0.startedAfter = now - life.requestedAt }
    }
}
