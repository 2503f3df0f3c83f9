import Streams

extension RecordingOptions {
    static let fields = BodyFields(
        CodingKeys.self, [.thumbnails: .object(TemplateFields.thumbnails)])
}
