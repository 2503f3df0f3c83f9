import HundredMS
import MediaServer
import Rooms

extension Settings {
    /// `rooms.*`: whether joining makes a room, and every maximum of a room.
    mutating func readRooms(_ source: SettingsSource) throws(SettingsError) {
        rooms.opensOnJoin = source.flag(.roomsOpenOnJoin) ?? rooms.opensOnJoin
        rooms.acceptsOrientation =
            source.flag(.roomsVideoOrientation) ?? rooms.acceptsOrientation
        rooms.maximum = try integer(source, .roomsMaximum, 1...100_000) ?? rooms.maximum
        if let days = source.number(.roomsSessionsKeepDays) {
            guard (0...36_500).contains(days) else {
                throw .invalid(
                    key: SettingKey.roomsSessionsKeepDays.rawValue, reason: "0 to 36500 days")
            }
            rooms.sessionsKept = days == 0 ? nil : .seconds((days * 86_400).rounded(.up))
        }
        try readSizes(source)
        try readPace(source)
        rooms.signalling.outboxFrames =
            try integer(source, .roomsOutboxMessages, 16...100_000)
            ?? rooms.signalling.outboxFrames
        rooms.signalling.outboxBytes =
            try integer(source, .roomsOutboxBytes, 65_536...268_435_456)
            ?? rooms.signalling.outboxBytes
    }

    private mutating func readSizes(_ source: SettingsSource) throws(SettingsError) {
        rooms.limits.peers =
            try integer(source, .roomsPeersMaximum, 1...MediaRoom.peersMaximum)
            ?? rooms.limits.peers
        rooms.limits.largeRoomPeers =
            try integer(source, .roomsLargeRoomPeers, 1...MediaRoom.peersMaximum)
            ?? rooms.limits.largeRoomPeers
        rooms.limits.tracksPerPeer =
            try integer(source, .roomsTracksPerPeerMaximum, 1...MediaRoom.tracksPerPeerMaximum)
            ?? rooms.limits.tracksPerPeer
        rooms.signalling.connections =
            try integer(source, .roomsConnectionsMaximum, 1...20_000)
            ?? rooms.signalling.connections
    }

    private mutating func readPace(_ source: SettingsSource) throws(SettingsError) {
        rooms.limits.fanOutPerSecond =
            try integer(source, .roomsRequestsPerSecond, 1...1000) ?? rooms.limits.fanOutPerSecond
        rooms.limits.fanOutBurst =
            try integer(source, .roomsRequestsBurst, 1...10_000) ?? rooms.limits.fanOutBurst
        rooms.limits.readsPerSecond =
            try integer(source, .roomsReadsPerSecond, 1...1000) ?? rooms.limits.readsPerSecond
        rooms.limits.readsBurst =
            try integer(source, .roomsReadsBurst, 1...10_000) ?? rooms.limits.readsBurst
        if let absence = try seconds(source, .roomsAbsenceSeconds, 1...3600) {
            rooms.limits.absence = absence
            rooms.limits.shownAbsence = min(rooms.limits.shownAbsence, absence)
        }
        if let silence = try seconds(source, .roomsSilenceSeconds, 4...3600) {
            rooms.signalling.silence = silence
            rooms.signalling.silenceWithoutMedia = min(
                rooms.signalling.silenceWithoutMedia, silence)
        }
    }

    private func seconds(
        _ source: SettingsSource, _ key: SettingKey, _ range: ClosedRange<Int>
    ) throws(SettingsError) -> Duration? {
        guard let value = source.number(key) else { return nil }
        guard (Double(range.lowerBound)...Double(range.upperBound)).contains(value) else {
            throw .invalid(
                key: key.rawValue,
                reason: "\(range.lowerBound) to \(range.upperBound) seconds")
        }
        return .seconds(value)
    }
}
