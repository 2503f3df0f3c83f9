internal import MediaKernel

/// A client's request to join. The token has not been checked.
public struct JoinCall: Sendable {
    let id: CallID?
    public let token: TokenAddress
    /// As the client says; empty if it does not.
    public let session: String
    /// OpenVidu's secret, which admits without a token; empty if there is none.
    public let secret: String
    /// Whether it records: with the secret it is hidden.
    public let isRecorder: Bool
    /// The app's own data.
    let metadata: String
    /// Of the client's library, `major.minor.patch`; empty if it does not say.
    let version: String

    init(_ call: OpenViduCall) throws(OpenViduError) {
        id = call.id
        let parameters = call.parameters
        token = TokenAddress(
            try parameters.optionalText("token", maximum: OpenViduLimits.tokenBytes) ?? "")
        let said = try parameters.optionalText(
            "session", maximum: OpenViduLimits.identifierBytes)
        session = said.flatMap { $0.isEmpty ? nil : $0 } ?? token.session
        secret = try parameters.optionalText("secret", maximum: 1024) ?? ""
        isRecorder = try parameters.flag("recorder") ?? false
        metadata =
            try parameters.optionalText("metadata", maximum: OpenViduLimits.frameBytes) ?? ""
        let version = try parameters.optionalText("sdkVersion", maximum: 64) ?? ""
        let isPlain = version.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: ".") }
        self.version = isPlain ? version : ""
    }
}

/// The name of a participant in the data that apps give it.
enum DisplayName {
    /// - Parameter metadata: mostly a JSON object with `clientData`; apps of 2018 have
    ///   `participantName`, others a bare text.
    /// - Returns: nil if there is none that others could read.
    static func found(in metadata: String, maximum: Int) -> String? {
        var name = metadata
        if let root = try? JSONDocument(metadata, limits: .frame).root {
            let member = ["clientData", "participantName"].lazy.compactMap { key in
                root.member(key).flatMap { try? $0.decode(String.self) }
            }.first
            guard let member = member ?? (try? root.decode(String.self)) else { return nil }
            name = member
        }
        return name.isEmpty || name.unicodeScalars.count > maximum ? nil : name
    }
}
