import Catalogue
import ControlAPI
import MediaKernel
import Rooms
import Streams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a live stream's record says beyond the catalogue's columns: `details` of `stream.json`.
private struct StreamDetails: Codable {
    var meetingURL: String
    var metadata: String
    var recording: LiveStreamRecording?
    var destination: String
    var audio: LiveStreamAudio
    var layout: JSONValue
    var playbackURL: String
    /// Nil in records of before there was a choice.
    var isSigned: Bool?
    /// Records of before there was a choice have none.
    var playlistType: HLSVariant.PlaylistType?
    var startedAt: UnixTime?
    var startedBy: String
    var stoppedBy: String
    var degradation: LiveStream.Degradation?
    /// Older records have none.
    var origin: LiveStream.Origin?
    /// Nil where nothing died.
    var deaths: [ProcessDeath]?

    enum CodingKeys: String, CodingKey {
        case meetingURL = "meeting_url"
        case metadata, recording, destination, audio, layout, degradation, origin
        case deaths = "process_deaths"
        case playbackURL = "playback_url"
        case isSigned = "signed_playback"
        case playlistType = "playlist_type"
        case startedAt = "started_ns"
        case startedBy = "started_by"
        case stoppedBy = "stopped_by"
    }
}

extension CatalogueStream {
    /// - Parameters:
    ///   - directory: where its bots write, relative to the root of streams.
    ///   - assetDirectory: relative to the root of recordings; nil when it is not recorded.
    init(_ stream: LiveStream, assetDirectory: String?) {
        let details = StreamDetails(
            meetingURL: stream.variant.meetingURL, metadata: stream.variant.metadata,
            recording: stream.recording, destination: stream.destination, audio: stream.audio,
            layout: stream.layout, playbackURL: stream.playbackURL,
            isSigned: stream.isSigned, playlistType: stream.playlistType,
            startedAt: stream.startedAt, startedBy: stream.startedBy,
            stoppedBy: stream.stoppedBy,
            degradation: stream.degradation, origin: stream.origin,
            deaths: stream.deaths.isEmpty ? nil : stream.deaths)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = (try? encoder.encode(details)).map { String(decoding: $0, as: UTF8.self) }
        self.init(
            id: stream.id, room: stream.room, session: stream.session, kind: stream.kind,
            status: stream.status,
            createdAt: stream.createdAt,
            directory: stream.directory,
            assetDirectory: assetDirectory, details: text ?? "{}")
        end = stream.end
        updatedAt = stream.updatedAt
        stoppedAt = stream.stoppedAt
    }
}

extension LiveStream {
    /// Nil for a record that a later version wrote and this one cannot read.
    init?(_ record: CatalogueStream) {
        guard
            let details = try? JSONDocument.decode(
                StreamDetails.self, from: record.details.utf8, limits: .own)
        else { return nil }
        self.init(
            id: record.id, room: record.room, kind: record.kind, session: record.session,
            variant: LiveStreamVariant(
                meetingURL: details.meetingURL, metadata: details.metadata),
            recording: details.recording, destination: details.destination, audio: details.audio,
            layout: details.layout, playbackURL: details.playbackURL,
            createdAt: record.createdAt, startedBy: details.startedBy)
        self.status = record.status
        isSigned = details.isSigned ?? false
        playlistType = details.playlistType ?? playlistType
        startedAt = details.startedAt
        updatedAt = record.updatedAt
        stoppedAt = record.stoppedAt
        stoppedBy = details.stoppedBy
        degradation = details.degradation
        origin = details.origin ?? origin
        deaths = details.deaths ?? []
        end = record.end
    }
}

extension LiveStream {
    /// Where its bots write, below the root of streams. What begins with a dot is served by
    /// nobody, neither by the origin, but for who comes with a signature, nor by a web server in
    /// its place.
    var directory: String {
        let isOpen = kind == .stream && !isSigned
        return isOpen ? "\(room)/\(id)" : "\(room)/.\(id)"
    }
}
