import OpenVidu
import Webhooks

extension Settings {
    private static let secretBytesMinimum = 8
    private static let headersMaximum = 20

    /// `openvidu.*`: application servers, and what they are told.
    mutating func readOpenVidu(_ source: SettingsSource) throws(SettingsError) {
        if let secret = source.text(.openViduSecret) {
            guard secret.utf8.count >= Self.secretBytesMinimum else {
                throw .invalid(
                    key: SettingKey.openViduSecret.rawValue,
                    reason: "at least \(Self.secretBytesMinimum) bytes")
            }
            rooms.openVidu.secret = secret
        }
        rooms.openVidu.opensRecordings = source.flag(.openViduPublicAccess) ?? false
        rooms.openVidu.autostop =
            try source.seconds(.openViduAutostopSeconds, 1...86_400) ?? rooms.openVidu.autostop
        try readWebhook(source)
    }

    private mutating func readWebhook(_ source: SettingsSource) throws(SettingsError) {
        guard let url = source.text(.openViduWebhookURL) else { return }
        guard WebhookAddress.isUsable(url) else {
            throw .invalid(
                key: SettingKey.openViduWebhookURL.rawValue, reason: "an http or https address")
        }
        guard rooms.openVidu.secret != nil else {
            throw .invalid(
                key: SettingKey.openViduWebhookURL.rawValue, reason: "openvidu.secret is missing")
        }
        let known = CallDetail.Event.allCases.map(\.rawValue)
        let events = source.list(.openViduWebhookEvents) ?? known
        guard events.allSatisfy(known.contains) else {
            throw .invalid(
                key: SettingKey.openViduWebhookEvents.rawValue,
                reason: "some of \(known.joined(separator: ", "))")
        }
        rooms.openVidu.webhook = OpenViduWebhook(
            url: url, headers: try Self.headers(source), events: Set(events))
    }

    private static func headers(
        _ source: SettingsSource
    ) throws(SettingsError) -> [String: String] {
        let lines = source.list(.openViduWebhookHeaders) ?? []
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            let name = parts.first ?? ""
            let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
            guard lines.count <= headersMaximum, !name.isEmpty, !value.isEmpty,
                name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else {
                throw .invalid(
                    key: SettingKey.openViduWebhookHeaders.rawValue,
                    reason: "at most \(headersMaximum) of the form Name: value")
            }
            headers[String(name)] = String(value)
        }
        return headers
    }
}
