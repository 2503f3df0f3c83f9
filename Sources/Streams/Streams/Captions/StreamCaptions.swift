/// The captions of a stream: its languages are known before its first segment, since its master
/// playlist names them.
public struct StreamCaptions: Hashable, Sendable, Codable {
    /// Empty for a stream without captions.
    public var languages: [CaptionLanguage]

    public init(languages: [CaptionLanguage] = []) { self.languages = languages }

    public enum CodingKeys: String, CodingKey, CaseIterable { case languages }

    /// The stream's own language of this code; nil for the only one.
    public func language(_ code: String?) -> CaptionLanguage? {
        guard let code else { return languages.count == 1 ? languages[0] : nil }
        return languages.first { $0.isNamed(code) }
    }
}
