import Catalogue
import MediaKernel
import Rooms
import Streams

/// A recording in the control API: of a live stream, or of a room without one.
struct RecordingBody: Encodable {
    var recording: LiveStream
    /// Nil while it has none.
    var name: String?
    var assets: [CatalogueAsset]

    init(_ recording: LiveStream, name: String?, assets: [CatalogueAsset]) {
        self.recording = recording
        self.name = name
        self.assets = assets
    }

    /// The existing types, or the planned ones.
    private var assetTypes: [CatalogueAsset.Kind] {
        guard !recording.status.isFinal else {
            return CatalogueAsset.Kind.allCases.filter { kind in
                assets.contains { $0.kind == kind }
            }
        }
        let planned: [(CatalogueAsset.Kind, Bool?)] = [
            (.roomComposite, recording.plan.recording?.singleFilePerLayer),
            (.roomVOD, recording.plan.recording?.hlsVOD),
            (.track, recording.plan.recording?.tracks.map { _ in true }),
            (.stream, recording.plan.recording?.tracks?.perPeer),
            (.audioMix, recording.plan.recording?.tracks?.mix.map { _ in true }),
            (.individual, recording.plan.recording?.tracks?.zip),
        ]
        return planned.filter { $0.1 == true }.map(\.0)
    }

    enum CodingKeys: String, CodingKey {
        case name
        case audioOnly = "audio_only"
        case isPaused = "recording_paused"
        case progress = "post_processing_progress"
        case deaths = "process_deaths"
        case finisherPosition = "post_processing_position"
        case finishingError = "post_processing_error"
        case assetTypes = "asset_types"
        case assets = "recording_assets"
    }

    func encode(to encoder: any Encoder) throws {
        try StreamFields(recording).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(recording.plan.audio.only, forKey: .audioOnly)
        try container.encode(recording.recordingPause == .paused, forKey: .isPaused)
        try container.encode(
            recording.finishing.permille.map { Double($0) / 1000 }, forKey: .progress)
        try container.encode(recording.health.deaths.map(ProcessDeathBody.init), forKey: .deaths)
        try container.encode(recording.finishing.position, forKey: .finisherPosition)
        try container.encode(recording.finishing.error, forKey: .finishingError)
        try container.encode(assetTypes.map(\.rawValue), forKey: .assetTypes)
        try container.encode(
            assets.isEmpty ? nil : assets.map { RecordingAssetBody($0) }, forKey: .assets)
    }
}
