public import MediaKernel

/// By which id and name an application's own API knows a recording, and what that API says of it.
/// Stored with the recording.
public struct RecordingLabel: Hashable, Sendable, Codable {
    public var id: String
    public var name: String
    /// In the API's words; an object.
    public var terms: JSONValue

    /// An archive of a file for each published stream, which has its sound and its picture together.
    public var bundle: Bundle?

    public struct Bundle: Hashable, Sendable, Codable {
        public var hasSound: Bool
        public var hasPicture: Bool

        public init(hasSound: Bool = true, hasPicture: Bool = true) {
            self.hasSound = hasSound
            self.hasPicture = hasPicture
        }

        enum CodingKeys: String, CodingKey {
            case hasSound = "sound"
            case hasPicture = "picture"
        }
    }

    public init(
        id: String, name: String, terms: JSONValue = .object([:]), bundle: Bundle? = nil
    ) {
        self.id = id
        self.name = name
        self.terms = terms
        self.bundle = bundle
    }
}
