/// A signal as a server passes it on.
struct IncomingSignal: Hashable {
    /// The connection that sends it; nil for an application server.
    let sender: String?
    /// Without `signal:`; may be empty.
    let type: String
    let data: String

    init(_ parameters: CallParameters) throws(OpenViduError) {
        let from = try parameters.optionalText("from", maximum: OpenViduLimits.identifierBytes)
        sender = from.flatMap { $0.isEmpty ? nil : $0 }
        let type = try parameters.optionalText("type", maximum: 1024) ?? ""
        self.type = OutgoingSignal.bareType(type)
        data = try parameters.optionalText("data", maximum: OpenViduLimits.sdpBytes) ?? ""
    }
}
