import Rooms
import Streams

extension RecordingOptions {
    static let fields = BodyFields(
        CodingKeys.self,
        [
            .thumbnails: .object(TemplateFields.thumbnails),
            .tracks: .object(TrackOptions.fields),
        ])
}

extension TrackOptions {
    static let fields = BodyFields(
        CodingKeys.self, [.mix: .object(BodyFields(MixOptions.CodingKeys.self))])
}
