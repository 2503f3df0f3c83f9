public import HOCON
import MediaKernel

/// What Roomcast makes of an operator's settings: `roomcast jibri --check`.
public struct JibriReport: Sendable {
    /// Nil if something is wrong.
    public let settings: JibriSettings?
    /// In the order of their kinds, then of the text.
    public let findings: [JibriFinding]

    /// - Parameters:
    ///   - text: of `jibri.conf`; nil without one, when the container's variables are all.
    ///   - environment: the process's, for substitutions, and for what the file does not have.
    ///   - name: the nick in the brewery where the settings have neither one nor an id.
    ///   - load: the text of a file that it includes.
    public init(
        text: String?, source: String, environment: [String: String], name: String,
        load: @escaping (HOCONInclude) throws(HOCONFault) -> HOCONText?
    ) {
        var reader = SettingsReader()
        do throws(HOCONFault) {
            let document = try HOCONDocument(
                text ?? "", source: source, environment: environment, load: load)
            for include in document.included where !include.isFound {
                reader.say(
                    .noted, "include '\(include.name)'", "is not there, which Jibri accepts too",
                    at: include.place)
            }
            let container = ContainerVariables(environment).settings
            let root = FormerSettings.renamed(document.root).merged(over: container)
            let settings = JibriSettings(root, name: name, &reader)
            JibriKeys.say(about: root, &reader)
            self.settings = reader.findings.contains { $0.kind == .wrong } ? nil : settings
        } catch {
            settings = nil
            reader.say(.wrong, "the file cannot be read", error.what, at: error.place)
        }
        findings = reader.findings.sorted { Self.order($0) < Self.order($1) }
    }

    private static func order(_ finding: JibriFinding) -> (Int, String, Int, Int, String) {
        let kind = JibriFinding.Kind.allCases.firstIndex(of: finding.kind) ?? 0
        let place = finding.place
        return (kind, place.source, place.line, place.column, finding.subject)
    }

    public var isWrong: Bool { settings == nil }

    /// For people. Has no password.
    public var lines: [String] {
        var lines = settings.map { ["understood:"] + $0.lines.map { "  \($0)" } } ?? []
        for kind in JibriFinding.Kind.allCases {
            let findings = findings.filter { $0.kind == kind }
            guard !findings.isEmpty else { continue }
            lines += ["\(Self.title(kind)):"] + findings.map { "  \($0)" }
        }
        return lines
    }

    private static func title(_ kind: JibriFinding.Kind) -> String {
        switch kind {
        case .wrong: "wrong"
        case .noted: "to note"
        case .ignored: "ignored"
        case .unknown: "unknown"
        }
    }
}

extension JibriSettings {
    fileprivate var lines: [String] {
        var lines = environments.flatMap(\.lines)
        let script = finalizeScript.map { ", each then given to \($0)" } ?? ""
        let what = recordsSoundAlone ? "recordings of sound alone" : "recordings"
        lines.append("\(what) in \(recordingsDirectory)\(script)")
        let patterns = allowedStreams.joined(separator: " or ")
        lines.append("streams to addresses that match \(patterns)")
        lines.append(
            "HTTP at \(http.externalHost):\(http.externalPort), internal at "
                + "\(http.internalHost):\(http.internalPort)")
        if showsMetrics { lines.append("Jibri's metrics at /metrics of the first") }
        if let words = picture.words { lines.append("pictures: \(words)") }
        lines.append("id: \(id.isEmpty ? "none" : id)")
        if isSingleUse { lines.append("each slot records once") }
        // Without their paths, which may have secrets.
        let subscribers = webhooks.compactMap { HTTPURL($0)?.host }.joined(separator: ", ")
        let proof = signing.map { ", signed with \($0.keyFile)" } ?? ""
        lines.append("webhooks: \(subscribers.isEmpty ? "none" : subscribers)\(proof)")
        lines.append(
            "a call ends after \(Self.words(timeouts.empty)) empty, "
                + "\(Self.words(timeouts.allMuted)) muted, \(Self.words(timeouts.noMedia)) "
                + "without media, \(Self.words(timeouts.connection)) without connection")
        return lines
    }

    fileprivate static func words(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard attoseconds == 0 else { return "\(duration.milliseconds) ms" }
        return seconds > 0 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    }
}

extension JibriEnvironment {
    fileprivate var lines: [String] {
        let at = hosts.map(\.description).joined(separator: ", ")
        let trust =
            security == .disabled
            ? "without TLS" : trustsAllCertificates ? "any certificate" : "certificates are checked"
        return [
            "environment '\(name)': \(domain), at \(at), \(trust)",
            "  waits as \(control), password set, in \(brewery.room)@\(brewery.domain) as "
                + brewery.nickname,
            "  joins rooms as \(call), password set"
                + (usageTimeout.map { ", for \(JibriSettings.words($0)) at most" } ?? ""),
            "  meetings at \(baseURL ?? "https://\(domain)"), rooms' domains without "
                + "'\(roomDomainPrefix)'",
        ]
    }
}
