internal import MediaKernel

/// What servers say of participants and their streams, as clients read it.
extension Participant {
    init(_ parameters: CallParameters) throws(OpenViduError) {
        id = try parameters.identifier("id")
        metadata =
            try parameters.optionalText("metadata", maximum: OpenViduLimits.sdpBytes) ?? ""
        createdAt = Int64(try parameters.number("createdAt") ?? 0, orIfOutside: 0)
        stream = try SharedStream.published(in: parameters)
    }
}

extension SharedStream {
    /// The stream in the `streams` of a participant, which has at most one; nil without.
    static func published(in parameters: CallParameters) throws(OpenViduError) -> SharedStream? {
        guard let first = try parameters.objects("streams", maximum: 64)?.first else { return nil }
        return try SharedStream(first)
    }

    /// Servers of 2018 leave out most of it.
    init(_ parameters: CallParameters) throws(OpenViduError) {
        id = try parameters.identifier("id")
        createdAt = Int64(try parameters.number("createdAt") ?? 0, orIfOutside: 0)
        terms = try StreamTerms(parameters)
        let hasAudio = try parameters.flag("hasAudio") ?? true
        let hasVideo = try parameters.flag("hasVideo") ?? true
        audio = hasAudio ? TrackID("\(id)-audio") : nil
        video = hasVideo ? TrackID("\(id)-video") : nil
        isAudioActive = try parameters.flag("audioActive") ?? true
        isVideoActive = try parameters.flag("videoActive") ?? true
    }
}

extension Int64 {
    /// - Parameter fallback: for a number that is no `Int64`.
    fileprivate init(_ number: Double, orIfOutside fallback: Int64) {
        self = Int64(exactly: number.rounded()) ?? fallback
    }
}
