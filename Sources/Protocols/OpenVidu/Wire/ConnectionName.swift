/// The connections whose ids are fixed. They are hidden.
enum ConnectionName {
    /// The recorder, of which there is one in a session.
    static let recorder = "RECORDER"
    private static let speechToText = "SPEECH_TO_TEXT"

    static func isHidden(_ id: String) -> Bool { id == recorder || id == speechToText }
}
