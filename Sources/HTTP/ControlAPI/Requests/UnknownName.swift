import MediaKernel

/// How a name that a request must not have is refused, be it that of a field or of a parameter.
enum UnknownName {
    /// The most characters of a name that an error quotes.
    static let charactersShown = 64

    /// `recording.hlsVod is not known; did you mean hls_vod?`
    static func words(
        for name: String, at path: String = "", among names: NearestNames
    ) -> String {
        "\(path)\(name.prefix(charactersShown)) is not known\(names.question(after: name))"
    }
}
