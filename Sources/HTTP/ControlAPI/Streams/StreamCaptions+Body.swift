import Streams

extension StreamCaptions {
    static let fields = BodyFields(
        CodingKeys.self, [.languages: .array(BodyFields(CaptionLanguage.CodingKeys.self))])

    /// - Throws: a 400 that names the rule.
    func checked() throws(APIError) -> StreamCaptions {
        if let fault = CaptionLanguage.fault(of: languages) {
            throw .badRequest("captions are not valid", fault)
        }
        return self
    }
}
