import Codec
import Compositor
import ControlAPI
import Datagrams
import MediaKernel
import Streams
import WebPage

/// Whether a server would start with its settings and do its work, without starting one.
///
/// Nothing is kept: ports are taken for a moment only, directories are not made.
public struct ServerCheck: Sendable {
    private let input: SettingsInput
    /// In seconds since 1970.
    private let now: Int

    /// Certificates that expire earlier are pointed out.
    private static let certificateDays = 21
    /// Free space that is pointed out, in bytes.
    private static let freeMinimum: UInt64 = 10 << 30

    public init(_ input: SettingsInput, now: Int) { (self.input, self.now) = (input, now) }

    /// Looks at everything; takes a second at most, besides names that have to be resolved. Where a
    /// setting is wrong, the rest is looked at without it.
    public func lines() -> [CheckLine] {
        do throws(SettingsError) {
            let found = try PartialSettings(input)
            return given(found) + looks(at: found)
        } catch {
            let rest = PartialSettings(besideFileOf: input)
            return [CheckLine.wrong("settings", words(error))] + looks(at: rest)
        }
    }

    private func looks(at found: PartialSettings) -> [CheckLine] {
        let given = SettingsOrigins(input).entries
        func looked(
            _ subject: String, _ keys: [SettingKey], _ look: (Settings) -> [CheckLine]
        ) -> [CheckLine] {
            let unknown = keys.filter { found.leftOut.contains($0) }
            guard let first = unknown.first else { return look(found.settings) }
            // Others may be left out with the one that is wrong.
            let key = unknown.first { given[$0] != nil } ?? first
            return [.note(subject, "not looked at, since \(key.rawValue) is not known")]
        }
        let isURLKnown = !found.leftOut.contains(.httpPublicURL)
        var lines = looked("policy", [.policyFile], policy)
        lines += looked("access", [.authAccessKey, .authSecret], access)
        lines += looked("http", [.httpHost, .httpPort]) { [http($0, isURLKnown: isURLKnown)] }
        lines += looked("media", [.udpHost, .udpPort, .tcpPort], media)
        lines += looked("metrics", [.metricsHost, .metricsPort], metrics)
        lines += looked("addresses", [.udpHost, .udpAdvertisedAddresses]) { [addresses($0)] }
        lines += looked(
            "certificate", [.httpCertificateFile, .httpPrivateKeyFile, .httpPublicURL], certificate)
        lines += looked("descriptors", [.httpConnectionsMaximum, .streamMaximum]) {
            [descriptors($0)]
        }
        lines += looked("streams", [.outputDirectory]) {
            [directory("streams", $0.stream.outputDirectory)]
        }
        lines += looked("recordings", [.recordingsDirectory]) {
            [directory("recordings", $0.stream.recordings.directory)]
        }
        return lines + [encoders(found.settings), fonts()] + browser(found.settings)
    }

    private func fonts() -> CheckLine {
        InstalledFonts.areThere
            ? .ok("fonts", "for names and captions in the picture")
            : .note(
                "fonts",
                "none: the picture has neither names nor captions; install Debian's package "
                    + "fonts-noto-core")
    }

    private func given(_ found: PartialSettings) -> [CheckLine] {
        let unknown = found.settings.unknownVariableWords.map { CheckLine.note("settings", $0) }
        guard found.faults.isEmpty else {
            let wrong = found.faults.flatMap { words($0).split(separator: "\n") }
            return wrong.map { CheckLine.wrong("settings", String($0)) } + unknown
        }
        let count = SettingsOrigins(input).entries.count
        let file = input.file.map { " of \($0) and the environment" } ?? ""
        let summary = count == 0 ? "all defaults" : "\(count) given\(file)"
        return [CheckLine.ok("settings", summary)] + unknown
    }

    private func policy(_ settings: Settings) -> [CheckLine] {
        do {
            _ = try StandardPolicy(
                try RoomcastServer.policy(settings), streams: settings.stream)
            return []
        } catch {
            return [.wrong("policy", words(error))]
        }
    }

    private func words(_ error: any Error) -> String { "\(input.explained(error))" }

    private func access(_ settings: Settings) -> [CheckLine] {
        guard settings.access.usesDevelopmentKey else {
            return [.ok("access", "a key of your own: \(settings.access.key)")]
        }
        return [
            .note(
                "access",
                "the development key: anybody on this machine can make tokens; set "
                    + "auth.accessKey and auth.secret before others can reach it")
        ]
    }

    private func http(_ settings: Settings, isURLKnown: Bool) -> CheckLine {
        let http = settings.http
        let url = isURLKnown ? "\(http.publicBaseURL), " : ""
        return line(
            "http", BindingCheck(host: http.host, port: http.port, transport: .tcp),
            at: http.place, good: "\(url)listening on \(http.host):\(http.port)")
    }

    private func media(_ settings: Settings) -> [CheckLine] {
        let udp = settings.udp
        var lines = [
            line(
                "media", BindingCheck(host: udp.host, port: udp.port, transport: .udp),
                at: BindingPlace(host: ("udp.host", udp.host), port: ("udp.port", udp.port)),
                good: "UDP \(udp.host):\(udp.port)")
        ]
        if let port = settings.tcp.number(besideUDP: udp.port) {
            lines.append(
                line(
                    "media", BindingCheck(host: udp.host, port: port, transport: .tcp),
                    at: BindingPlace(host: ("udp.host", udp.host), port: ("tcp.port", port)),
                    good: "TCP \(udp.host):\(port), for clients without UDP"))
        }
        return lines
    }

    private func metrics(_ settings: Settings) -> [CheckLine] {
        guard let metrics = settings.http.metrics else { return [] }
        return [
            line(
                "metrics", BindingCheck(host: metrics.host, port: metrics.port, transport: .tcp),
                at: metrics.place, good: "without a token at \(metrics.host):\(metrics.port)")
        ]
    }

    private func line(
        _ subject: String, _ check: BindingCheck, at place: BindingPlace, good: String
    ) -> CheckLine {
        guard let code = check.code() else { return .ok(subject, good) }
        return .wrong(subject, words(SettingsError(place, code: code)))
    }

    /// The addresses at which clients are told to send their media.
    private func addresses(_ settings: Settings) -> CheckLine {
        let given = settings.udp.advertisedAddresses
        let bound = TransportAddress(settings.udp.host, port: 1)
        let own = bound.map { HostAddresses.reaching($0) } ?? HostAddresses.all()
        let told = given.isEmpty ? own : given.compactMap { TransportAddress($0, port: 0) }
        let names = told.map(\.host).joined(separator: ", ")
        guard !told.isEmpty else {
            return .wrong("addresses", "this machine has none that clients could be told")
        }
        let isPublic = told.contains { $0.place == .world }
        if !settings.http.isReachedHereOnly, !isPublic {
            return .note(
                "addresses",
                "clients are told \(names), which are reached from this network only; if others "
                    + "shall come, set udp.advertisedAddresses to the public address")
        }
        return .ok("addresses", "clients are told \(names)")
    }

    private func certificate(_ settings: Settings) -> [CheckLine] {
        let facts: CertificateFacts?
        do throws(HTTPServiceError) {
            facts = try settings.httpService.certificate()?.facts
        } catch {
            return [.wrong("certificate", "\(error)")]
        }
        guard let facts else {
            guard !settings.http.isReachedHereOnly else { return [] }
            let isProxied = settings.http.publicURL?.hasPrefix("https:") ?? false
            return isProxied
                ? [.ok("certificate", "none here: a proxy has it, as http.publicURL says")]
                : [
                    .note(
                        "certificate",
                        "none: browsers allow camera and microphone only on pages from https")
                ]
        }
        let host = settings.http.publicURL.flatMap { HTTPURL($0)?.host } ?? settings.http.host
        let days = (facts.notAfter - now) / 86_400
        guard facts.notAfter > now else {
            return [.wrong("certificate", "it expired \(-days) days ago")]
        }
        guard facts.covers(host) else {
            return [
                .wrong(
                    "certificate",
                    "it is for \(facts.names.joined(separator: ", ")), not for \(host)")
            ]
        }
        let text = "for \(host), expires in \(days) days"
        return [days < Self.certificateDays ? .note("certificate", text) : .ok("certificate", text)]
    }

    private func descriptors(_ settings: Settings) -> CheckLine {
        DescriptorLimit.raise()
        let wish = settings.descriptorWish
        do throws(DescriptorBudget.Shortage) {
            let budget = try DescriptorBudget(
                fitting: wish, into: DescriptorLimit.current, own: settings.ownDescriptors())
            guard budget.shares != wish else {
                return .ok("descriptors", "\(budget.limit) suffice for all maxima")
            }
            return .note(
                "descriptors",
                "\(budget.limit) lower the maxima: \(budget.shares.connections) connections, "
                    + "\(budget.shares.bots) streams; LimitNOFILE= of systemd raises it")
        } catch {
            return .wrong(
                "descriptors",
                "\(SettingsError.tooFewDescriptors(limit: error.limit, needed: error.needed, own: error.own, reserve: error.reserve))"
            )
        }
    }

    private func directory(_ subject: String, _ directory: String) -> CheckLine {
        let space = DirectorySpace(directory)
        if let fault = space.fault { return .wrong(subject, fault) }
        guard let free = space.free else { return .ok(subject, directory) }
        let text = "\(directory), \(free >> 30) GiB free"
        return free < Self.freeMinimum ? .note(subject, text) : .ok(subject, text)
    }

    private func browser(_ settings: Settings) -> [CheckLine] {
        guard settings.stream.customView.isEnabled else { return [] }
        return BrowserProgram.path.map { [.ok("custom views", $0)] } ?? []
    }

    private func encoders(_ settings: Settings) -> CheckLine {
        let choice = settings.stream.encoder
        do throws(CodecError) {
            var refusals: [String] = []
            let backend = try H264Backend.open(
                firstOf: H264Backend.candidates(for: choice.rawValue) ?? [.x264],
                refused: { backend, _ in refusals.append(backend.rawValue) },
                open: { backend throws(CodecError) in
                    (
                        backend,
                        try H264Encoder(
                            VideoEncoderSettings(
                                width: 640, height: 360, frameRate: 30, bitrate: 500_000,
                                keyframeInterval: 60),
                            backend: backend)
                    )
                },
                prove: { encoder throws(CodecError) in try encoder.1.prove() }
            ).0
            _ = try AACEncoder(bitrate: 96_000)
            _ = try OpusDecoder()
            guard refusals.isEmpty else {
                return .note(
                    "codecs",
                    "\(backend.rawValue) encodes: this machine has no "
                        + refusals.joined(separator: ", "))
            }
            return .ok("codecs", "H.264 by \(backend.rawValue), AAC, Opus")
        } catch {
            return .wrong("codecs", "\(error)")
        }
    }
}
