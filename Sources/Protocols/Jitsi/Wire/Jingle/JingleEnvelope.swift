internal import XML

/// What every message of a session has, whoever sends it. XEP-0166 sect. 7.2.
struct JingleEnvelope {
    let action: String
    let session: String
    /// As they are written, and read.
    let elements: [XMLElement]
    let contents: [JingleContent]

    init(_ element: XMLElement) throws(JitsiFault) {
        guard element.isNamed("jingle", JitsiNamespaces.jingle) else { throw .missing("<jingle>") }
        action = try element.text("action", maximum: 64)
        session = try element.text("sid", maximum: 256)
        elements = try element.children(
            "content", JitsiNamespaces.jingle, maximum: JitsiLimits.contents)
        contents = try elements.map { content throws(JitsiFault) in try JingleContent(content) }
    }
}
