import Streams

extension RecordingWish {
    static let fields = BodyFields(
        CodingKeys.self, [.thumbnails: .object(TemplateFields.thumbnails)])
}
