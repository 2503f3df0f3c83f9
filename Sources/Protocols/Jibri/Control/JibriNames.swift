/// The namespaces in which Jicofo and its recorders speak.
enum JibriNames {
    static let jibri = "http://jitsi.org/protocol/jibri"
    static let health = "http://jitsi.org/protocol/health"
}
