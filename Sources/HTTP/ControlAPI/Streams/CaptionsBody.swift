import MediaKernel
import Streams

/// The body of `captions`.
struct CaptionsBody: RequestBody {
    static let fields = BodyFields(
        CodingKeys.self, [.captions: .array(BodyFields(Caption.CodingKeys.self))])

    /// Nil for the stream's only one.
    var language: String?
    var captions: [Caption]

    enum CodingKeys: String, CodingKey, CaseIterable { case language, captions }

    struct Caption: Decodable {
        var text: String
        /// In milliseconds: since 1970, or, within a day of 0, from now on. Nil for now.
        var start: Int64?
        /// The same; nil for as long as it takes to read the text.
        var end: Int64?
        var speaker: String?
        var peer: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case text, start, end, speaker
            case peer = "peer_id"
        }
    }

    /// - Throws: a 400 that names the caption and the rule.
    func checked(at now: UnixTime) throws(APIError) -> [CaptionRequest] {
        guard (1...Limits.captionsPerRequest).contains(captions.count) else {
            throw Self.refusal("captions are 1 to \(Limits.captionsPerRequest) in one request")
        }
        var checked: [CaptionRequest] = []
        for (index, caption) in captions.enumerated() {
            checked.append(try caption.checked(at: now.milliseconds, in: "captions[\(index)]."))
        }
        return checked
    }

    static func refusal(_ reason: String) -> APIError {
        .badRequest("captions are not valid", reason)
    }
}

extension CaptionsBody.Caption {
    fileprivate func checked(at now: Int64, in place: String) throws(APIError) -> CaptionRequest {
        // Only spaces would show nothing.
        let length = text.unicodeScalars.count
        guard length <= Limits.captionCharacters,
            text.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else {
            throw CaptionsBody.refusal(
                "\(place)text must have 1 to \(Limits.captionCharacters) characters")
        }
        for (name, value) in [("speaker", speaker), ("peer_id", peer)] {
            guard (value?.unicodeScalars.count ?? 0) <= Limits.speakerCharacters else {
                throw CaptionsBody.refusal(
                    "\(place)\(name) must have at most \(Limits.speakerCharacters) characters")
            }
        }
        let start = Self.time(start ?? 0, from: now)
        guard start > now - Limits.captionAgeMilliseconds,
            start <= now + Limits.captionAheadMilliseconds
        else {
            throw CaptionsBody.refusal(
                "\(place)start must lie within the last day or the next hour, in milliseconds")
        }
        let end =
            end.map { Self.time($0, from: now) } ?? start + CaptionRequest.readingTime(of: text)
        guard end > start, end - start <= Limits.captionMilliseconds else {
            throw CaptionsBody.refusal(
                "\(place)end must be after start, by at most \(Limits.captionMilliseconds) ms")
        }
        return CaptionRequest(
            text: text, start: start, end: end, speaker: speaker.flatMap { $0.isEmpty ? nil : $0 },
            peer: peer.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Far from all times of a stream in milliseconds since 1970.
    private static func time(_ value: Int64, from now: Int64) -> Int64 {
        let day = Limits.captionAgeMilliseconds
        return (-day...day).contains(value) ? now + value : min(max(value, -1 << 60), 1 << 60)
    }
}
