import Catalogue
import HLS
import MediaKernel
import Recording

/// Makes the assets of what was said: for each language, the same text in several forms.
struct TranscriptMaker: Sendable {
    let assets: RecordingAssets
    let stream: CatalogueStream
    let place: RecordingPlace
    let recordings: String
    let createdAt: UnixTime
    let expiresAt: UnixTime?

    /// - Returns: none for a language in which nothing was said.
    /// - Throws: `.file`.
    func make() throws(RecordingError) -> [CatalogueAsset] {
        guard !assets.captions.isEmpty else { return [] }
        var made: [CatalogueAsset] = []
        for language in try assets.captionLanguages() {
            let lines = RecordedCaptions(
                assets.captions, language: language.language, in: assets.plan
            ).lines
            guard !lines.isEmpty else { continue }
            let transcript = Transcript(
                stream: stream.id.rawValue, room: stream.room.rawValue,
                session: stream.session?.rawValue ?? "", language: language.language,
                lines: lines)
            for format in Transcript.Format.allCases {
                made.append(try make(transcript, language.name, format))
            }
        }
        return made
    }

    private func make(
        _ transcript: Transcript, _ name: String, _ format: Transcript.Format
    ) throws(RecordingError) -> CatalogueAsset {
        let bytes = Array(transcript.rendered(format).utf8)
        let file = place.transcriptName(
            language: transcript.language, suffix: format.rawValue)
        try AssetFile.write(
            bytes, to: file, in: "\(recordings)/\(place.transcriptsDirectory)")
        var asset = CatalogueAsset(
            id: "\(stream.id)-transcript-\(transcript.language)-\(format.rawValue)",
            stream: stream.id, room: stream.room, session: stream.session, kind: .transcript,
            path: "\(place.transcriptsDirectory)/\(file)", byteCount: Int64(bytes.count),
            duration: .nanoseconds(assets.plan.duration.rescaled(to: 1_000_000_000).ticks),
            createdAt: createdAt, expiresAt: expiresAt)
        asset.transcript = CatalogueAsset.Transcript(
            language: transcript.language, name: name, format: format.rawValue)
        return asset
    }
}
