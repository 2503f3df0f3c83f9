import Streams

extension StreamSettings.Sources {
    /// What admits a bot to a source; nil if it needs what every bot of ours has.
    ///
    /// - Throws: `sourceLocked`, `conferenceUnknown`.
    func secret(of variant: LiveStreamVariant) throws(LiveStreamError) -> String? {
        switch variant.source {
        case .openVidu(let source):
            guard let credential = openVidu.credential(for: source) else {
                throw .sourceLocked(server: source.server)
            }
            return credential.text
        case .jitsi(let source):
            guard let credential = jitsi.credential(for: source, in: variant.conference)
            else {
                throw .conferenceUnknown(deployment: source.deployment)
            }
            return credential.text
        case .whep, .page, nil: return nil
        }
    }
}
