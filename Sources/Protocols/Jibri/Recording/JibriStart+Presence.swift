public import XML
import XMPP

extension JibriStart {
    /// What the recorder shows in the meeting's room once the recording runs, all in one presence:
    /// with it, Jitsi's clients show that the session is on.
    ///
    /// - Parameter viewURL: where people watch a stream, unless the start names a place.
    public func shown(viewURL: String? = nil) -> [XMLElement] {
        var mode = "file"
        var url: String?
        if case .stream(let stream) = output {
            mode = "stream"
            url = stream.viewURL ?? viewURL
        }
        var elements = [
            XMLElement("session_id", Namespaces.client, text: session),
            XMLElement("mode", Namespaces.client, text: mode),
        ]
        if let url {
            elements.append(XMLElement("live-stream-view-url", Namespaces.client, text: url))
        }
        return elements
    }
}
