/// The words of Jitsi's protocol.
enum JibriNames {
    static let jibri = "http://jitsi.org/protocol/jibri"
    static let health = "http://jitsi.org/protocol/health"
}
