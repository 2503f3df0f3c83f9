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

/// The fields of a live stream's record beyond the catalogue's columns and the plan: `details` of
/// `stream.json`.
private struct StreamDetails: Codable {
    var playbackURL: String
    /// Nil in records that predate signed URLs.
    var isSigned: Bool?
    var startedAt: UnixTime?
    var startedBy: String
    var stoppedBy: String
    var degradation: LiveStream.Degradation?
    /// Older records lack it.
    var origin: LiveStream.Origin?
    /// Nil if no process has died.
    var deaths: [ProcessDeath]?
    /// Nil if nothing is known of any output.
    var outputStates: [String: PushStatus]?

    enum CodingKeys: String, CodingKey {
        case degradation, origin
        case deaths = "process_deaths"
        case outputStates = "output_states"
        case playbackURL = "playback_url"
        case isSigned = "signed_playback"
        case startedAt = "started_ns"
        case startedBy = "started_by"
        case stoppedBy = "stopped_by"
    }
}

/// The plan and the details in one object.
private struct StreamDocument: Codable {
    var plan: StreamPlan
    var details: StreamDetails

    private enum CodingKeys: String, CodingKey { case ladder }

    init(plan: StreamPlan, details: StreamDetails) {
        self.plan = plan
        self.details = details
    }

    init(from decoder: any Decoder) throws {
        details = try StreamDetails(from: decoder)
        let hasPlan = try decoder.container(keyedBy: CodingKeys.self).contains(.ladder)
        plan =
            hasPlan
            ? try StreamPlan(from: decoder) : try EarlierStreamPlan(from: decoder).plan
    }

    func encode(to encoder: any Encoder) throws {
        try plan.encode(to: encoder)
        try details.encode(to: encoder)
    }
}

extension CatalogueStream {
    /// - Parameter assetDirectory: relative to the root of recordings; nil if not recorded.
    init(_ stream: LiveStream, assetDirectory: String?) {
        let details = StreamDetails(
            playbackURL: stream.playback.url, isSigned: stream.playback.isSigned,
            startedAt: stream.startedAt, startedBy: stream.startedBy,
            stoppedBy: stream.stoppedBy, degradation: stream.health.degradation,
            origin: stream.origin,
            deaths: stream.health.deaths.isEmpty ? nil : stream.health.deaths,
            outputStates: stream.health.outputs.isEmpty ? nil : stream.health.outputs)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var plan = stream.plan
        // Nobody needs the token of a source any more.
        if stream.status.isFinal { plan.variant.meetingURL = plan.variant.shownURL }
        let document = StreamDocument(plan: plan, details: details)
        let text = (try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) }
        self.init(
            id: stream.id, room: stream.room, session: stream.session, kind: stream.kind,
            status: stream.status, createdAt: stream.createdAt, directory: stream.directory,
            assetDirectory: assetDirectory, details: text ?? "{}")
        label = stream.plan.recording?.label?.id
        end = stream.end
        updatedAt = stream.updatedAt
        stoppedAt = stream.stoppedAt
    }
}

extension LiveStream {
    /// Nil for a record of a later version that this one cannot read.
    init?(_ record: CatalogueStream) {
        guard
            let document = try? JSONDocument.decode(
                StreamDocument.self, from: record.details.utf8, limits: .own)
        else { return nil }
        let details = document.details
        self.init(
            id: record.id, room: record.room, kind: record.kind, session: record.session,
            plan: document.plan,
            playback: Playback(url: details.playbackURL, isSigned: details.isSigned ?? false),
            createdAt: record.createdAt, startedBy: details.startedBy)
        status = record.status
        startedAt = details.startedAt
        updatedAt = record.updatedAt
        stoppedAt = record.stoppedAt
        stoppedBy = details.stoppedBy
        health.degradation = details.degradation
        health.deaths = details.deaths ?? []
        health.outputs = details.outputStates ?? [:]
        origin = details.origin ?? origin
        end = record.end
    }
}
