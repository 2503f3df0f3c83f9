import HundredMS
import MediaServer
import Rooms

extension Settings {
    /// `rooms.*`: whether joining makes a room, and every maximum of a room.
    mutating func readRooms(_ source: SettingsSource) throws(SettingsError) {
        rooms.opensOnJoin = source.flag(.roomsOpenOnJoin) ?? rooms.opensOnJoin
        rooms.acceptsOrientation =
            source.flag(.roomsVideoOrientation) ?? rooms.acceptsOrientation
        rooms.maximum = try source.integer(.roomsMaximum, 1...100_000) ?? rooms.maximum
        if let kept = try source.days(.roomsSessionsKeepDays, reason: "0 to 36500 days") {
            rooms.sessionsKept = kept
        }
        try readSizes(source)
        try readPace(source)
        try readOpenVidu(source)
        try readFocus(source)
        rooms.signalling.outboxFrames =
            try source.integer(.roomsOutboxMessages, 16...100_000)
            ?? rooms.signalling.outboxFrames
        rooms.signalling.outboxBytes =
            try source.integer(.roomsOutboxBytes, 65_536...268_435_456)
            ?? rooms.signalling.outboxBytes
    }

    private mutating func readSizes(_ source: SettingsSource) throws(SettingsError) {
        rooms.limits.peers =
            try source.integer(.roomsPeersMaximum, 1...MediaRoom.peersMaximum)
            ?? rooms.limits.peers
        rooms.limits.largeRoomPeers =
            try source.integer(.roomsLargeRoomPeers, 1...MediaRoom.peersMaximum)
            ?? rooms.limits.largeRoomPeers
        rooms.limits.tracksPerPeer =
            try source.integer(.roomsTracksPerPeerMaximum, 1...MediaRoom.tracksPerPeerMaximum)
            ?? rooms.limits.tracksPerPeer
        rooms.signalling.connections =
            try source.integer(.roomsConnectionsMaximum, 1...20_000)
            ?? rooms.signalling.connections
    }

    private mutating func readPace(_ source: SettingsSource) throws(SettingsError) {
        rooms.limits.fanOutPerSecond =
            try source.integer(.roomsRequestsPerSecond, 1...1000) ?? rooms.limits.fanOutPerSecond
        rooms.limits.fanOutBurst =
            try source.integer(.roomsRequestsBurst, 1...10_000) ?? rooms.limits.fanOutBurst
        rooms.limits.readsPerSecond =
            try source.integer(.roomsReadsPerSecond, 1...1000) ?? rooms.limits.readsPerSecond
        rooms.limits.readsBurst =
            try source.integer(.roomsReadsBurst, 1...10_000) ?? rooms.limits.readsBurst
        if let absence = try source.seconds(.roomsAbsenceSeconds, 1...3600) {
            rooms.limits.absence = absence
            rooms.limits.shownAbsence = min(rooms.limits.shownAbsence, absence)
        }
        if let silence = try source.seconds(.roomsSilenceSeconds, 4...3600) {
            rooms.signalling.silence = silence
            rooms.signalling.silenceWithoutMedia = min(
                rooms.signalling.silenceWithoutMedia, silence)
        }
    }
}
