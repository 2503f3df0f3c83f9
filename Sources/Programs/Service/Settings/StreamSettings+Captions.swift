import Streams

/// `captions.*`: the languages of streams that do not say, and the program that recognizes speech.
extension StreamSettings {
    mutating func readCaptions(_ source: SettingsSource) throws(SettingsError) {
        captions.standard = StreamCaptions(languages: try Self.languages(source))
        guard let words = source.list(.captionsSTTCommand), !words.isEmpty else { return }
        let language = source.text(.captionsSTTLanguage) ?? "en"
        let command = SpeechCommand(words: words, language: language)
        if let fault = command.fault {
            throw .invalid(key: SettingKey.captionsSTTCommand.rawValue, reason: fault)
        }
        if let fault = CaptionLanguage.fault(of: [CaptionLanguage(code: language)]) {
            throw .invalid(key: SettingKey.captionsSTTLanguage.rawValue, reason: fault)
        }
        captions.speech = command
    }

    /// `en=English`, or `en` alone.
    private static func languages(
        _ source: SettingsSource
    ) throws(SettingsError) -> [CaptionLanguage] {
        let languages = (source.list(.captionsLanguages) ?? []).map { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            return CaptionLanguage(
                code: parts.first ?? "", name: parts.count == 2 ? parts[1] : nil)
        }
        if let fault = CaptionLanguage.fault(of: languages) {
            throw .invalid(key: SettingKey.captionsLanguages.rawValue, reason: fault)
        }
        return languages
    }

    /// The program for a stream; nil if it has no captions in the program's language.
    func speech(for plan: StreamPlan) -> SpeechCommand? {
        guard let speech = captions.speech, let language = plan.captions.language(speech.language)
        else {
            return nil
        }
        return SpeechCommand(words: speech.words, language: language.code)
    }
}
