import ArgumentParser
import Foundation
import Glibc
import HOCON
import Jibri
import Logging
import Service

/// Jitsi's recorder in this program's place: the whole server, whose streams Jicofo orders.
struct JibriCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jibri",
        abstract: "The server as a Jibri: records and streams the meetings that Jicofo orders.",
        discussion: """
            Jibri's settings come from its own file; those that it lacks come from the variables of \
            Jitsi's container, if they are set. The server's settings are those of "serve": from \
            the file of --configuration and from ROOMCAST_… (docs/CONFIGURATION.md).

            With --check it only prints what it understands of Jibri's settings, what has no meaning \
            here and why, and what is wrong. Passwords are not printed. The exit status is 65 if \
            something is wrong.

            After an order to shut down the exit status is 255, as Jibri's is: its unit then does \
            not start it again. Otherwise it is 0.
            """)

    @Option(help: "Jibri's settings file.")
    var config = "/etc/jitsi/jibri/jibri.conf"

    @Option(help: "A JSON file with the server's settings.")
    var configuration: String?

    @Flag(help: "Only print what is understood.")
    var check = false

    /// More is refused anyway.
    private static let bytesMaximum = HOCONLimits().bytes
    /// EX_DATAERR of sysexits(3).
    private static let wrong: Int32 = 65

    func run() async throws {
        let report = try report()
        if check {
            for line in report.lines { print(line) }
            if report.isWrong { throw ExitCode(Self.wrong) }
            return
        }
        guard let jibri = report.settings else {
            for line in report.lines { StandardError.write("roomcast jibri: \(line)\n") }
            throw ExitCode(Self.wrong)
        }
        try await serve(jibri, report.findings)
    }

    private func serve(_ jibri: JibriSettings, _ findings: [JibriFinding]) async throws {
        try await RoomcastServer.run(
            SettingsInput(file: configuration), changing: { $0.admit(jibri) },
            with: { server in
                for finding in findings {
                    server.logger.notice("jibri: a setting", metadata: ["finding": "\(finding)"])
                }
                let service = try JibriService(
                    settings: jibri, server: server, logger: server.logger)
                try await server.run(guest: service) { server.logListening(on: $0) }
                guard service.exitStatus == 0 else { throw ExitCode(service.exitStatus) }
            })
    }

    private func report() throws -> JibriReport {
        let text: String?
        do throws(HOCONFault) {
            text = try Self.text(of: config, for: HOCONPlace(source: config))
        } catch {
            StandardError.write("roomcast jibri: \(error)\n")
            throw ExitCode(Self.wrong)
        }
        if text == nil {
            StandardError.write(
                "there is no \(config): only the environment's variables are read\n")
        }
        return JibriReport(
            text: text, source: config, environment: ProcessInfo.processInfo.environment,
            name: "roomcast-\(Self.machine)"
        ) { include throws(HOCONFault) in try Self.load(include) }
    }

    /// The machine's name, which tells apart the recorders of a brewery.
    private static var machine: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "1" }
        return withUnsafeBytes(of: system.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Beside the file that includes it. A name without an extension may have left it out.
    private static func load(_ include: HOCONInclude) throws(HOCONFault) -> HOCONText? {
        let folder = URL(fileURLWithPath: include.place.source).deletingLastPathComponent()
        let path = URL(fileURLWithPath: include.name, relativeTo: folder).path
        for path in [path, "\(path).conf"] {
            if let text = try text(of: path, for: include.place) {
                return HOCONText(text, source: path)
            }
        }
        return nil
    }

    /// Nil if the file is not there.
    private static func text(
        of path: String, for place: HOCONPlace
    ) throws(HOCONFault) -> String? {
        let name = path == place.source ? "the file" : "'\(path)'"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw HOCONFault("\(name): \(String(cString: strerror(errno)))", at: place)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let data: Data
        do { data = try file.read(upToCount: bytesMaximum + 1) ?? Data() } catch {
            throw HOCONFault("\(name) cannot be read", at: place)
        }
        guard data.count <= bytesMaximum else {
            throw HOCONFault("\(name) has more than \(bytesMaximum) bytes", at: place)
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw HOCONFault("\(name) is not UTF-8", at: place)
        }
        return text
    }
}
