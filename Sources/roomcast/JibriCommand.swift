import ArgumentParser
import Foundation
import Glibc
import HOCON
import Jibri
import Service

/// Jitsi's recorder in this program's place. Only its settings are read so far.
struct JibriCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jibri",
        abstract: "Check the settings of a Jibri for their use here.",
        discussion: """
            Prints what Roomcast understands of a Jibri's settings, what has no meaning here and \
            why, and what is wrong. What the file does not have comes from the variables of Jitsi's \
            container, if they are set. Passwords are not printed.

            Roomcast does not record Jitsi's meetings yet: there is nothing but the check. Its exit \
            status is 0, or 65 if something is wrong.
            """)

    @Option(help: "Jibri's settings file.")
    var config = "/etc/jitsi/jibri/jibri.conf"

    @Flag(help: "Required: there is nothing else to do yet.")
    var check = false

    /// More is refused anyway.
    private static let bytesMaximum = HOCONLimits().bytes
    /// EX_DATAERR of sysexits(3).
    private static let wrong: Int32 = 65

    func validate() throws {
        guard check else {
            throw ValidationError("recording Jitsi's meetings is not there yet: use --check")
        }
    }

    func run() throws {
        let text: String?
        do throws(HOCONFault) {
            text = try Self.text(of: config, for: HOCONPlace(source: config))
        } catch {
            StandardError.write("roomcast jibri: \(error)\n")
            throw ExitCode(Self.wrong)
        }
        if text == nil { print("\(config) is not there: the environment's variables are all") }
        let report = JibriReport(
            text: text, source: config, environment: ProcessInfo.processInfo.environment,
            name: "roomcast-\(Self.machine)"
        ) { include throws(HOCONFault) in try Self.load(include) }
        for line in report.lines { print(line) }
        if report.isWrong { throw ExitCode(Self.wrong) }
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
