internal import MediaKernel

/// One frame of a server.
enum ServerFrame {
    case answer(to: CallID, Result<CallParameters, OpenViduError>)
    case notification(String, CallParameters)

    /// Long enough for the list of a full session.
    static let jsonLimits = JSONLimits(depth: 16, nodes: 1_048_576)

    /// An error's message is the server's, uncut: who shows it hides secrets first.
    ///
    /// - Throws: ``OpenViduError/malformed`` for text that is no frame, and a bad parameter for a
    ///   part of the wrong type.
    init(_ text: String) throws(OpenViduError) {
        let root: JSONElement
        do {
            root = try JSONDocument(text, limits: Self.jsonLimits).root
        } catch {
            throw .malformed
        }
        guard root.isObject else { throw .malformed }
        if let name = root.member("method") {
            guard let method = try? name.decode(String.self) else {
                throw .badParameter("method", "must be a text")
            }
            self = .notification(method, CallParameters(root.member("params")))
            return
        }
        guard let element = root.member("id"), let id = CallID(element) else {
            throw .badParameter("id", "must be a number or a short text")
        }
        if let error = root.member("error"), !error.isNull {
            let parameters = CallParameters(error)
            let code = try parameters.number("code") ?? 999
            let message = try parameters.optionalText("message", maximum: .max) ?? ""
            self = .answer(
                to: id,
                .failure(
                    OpenViduError(
                        code: Int(exactly: code.rounded()) ?? 999,
                        message: message)))
        } else {
            self = .answer(to: id, .success(CallParameters(root.member("result"))))
        }
    }
}
