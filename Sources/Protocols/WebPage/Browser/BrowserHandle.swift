import Foundation
import Glibc
public import MediaKernel
public import Sandbox

/// The bot's ends of a browser: its pipe, its keeper's pipes, and the socket of its guard.
public struct BrowserHandle: Sendable {
    /// Why no browser can be started.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// Where the browser's messages come from.
    let messages: CInt
    /// Where commands go.
    let commands: CInt
    /// What the keeper reports.
    let reports: CInt
    /// The keeper ends the browser when this is closed. Nobody writes to it.
    let life: CInt
    /// The guard's listening socket.
    let proxy: CInt
    let stageKey: String

    /// Starts a browser and its keeper. Call it while this process may still start others, and
    /// before it has threads.
    ///
    /// - Parameters:
    ///   - executable: this program.
    ///   - user: who runs the browser if this process is root.
    ///   - memoryMaximum: in bytes.
    ///   - hosts: whose pages may use WebRTC.
    public static func start(
        executable: String, user: SystemUser?, memoryMaximum: Int, hosts: WebHosts
    ) throws(Failure) -> BrowserHandle {
        guard let proxy = GuardProxy.listen() else { throw failure("no socket on the loopback") }
        // Above 4, so that no descriptor made for the keeper closes one that it is still to get.
        func pipe() throws(Failure) -> (read: CInt, write: CInt) {
            var ends: [CInt] = [0, 0]
            guard Glibc.pipe(&ends) == 0 else { throw failure("no pipe") }
            let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, lowestDescriptor) }
            for end in ends { Glibc.close(end) }
            guard moved.allSatisfy({ $0 >= 0 }) else { throw failure("no pipe") }
            return (moved[0], moved[1])
        }
        let (commands, messages) = (try pipe(), try pipe())
        let (reports, life) = (try pipe(), try pipe())
        let key = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        var arguments = [
            "browser", "--proxy-port", "\(proxy.port)", "--stage", key, "--memory",
            "\(memoryMaximum)",
        ]
        if let user { arguments += ["--user", "\(user)"] }
        for host in hosts.names { arguments += ["--host", host] }
        let names: [String] = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH"]
        let kept = names.compactMap { name in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        let process = ProgramStart.spawn(
            executable, arguments, kept,
            descriptors: [
                (life.read, 0), (reports.write, 1), (commands.read, 3), (messages.write, 4),
            ])
        for end in [life.read, reports.write, commands.read, messages.write] { Glibc.close(end) }
        guard process != nil else { throw failure("the keeper cannot be started") }
        return BrowserHandle(
            messages: messages.read, commands: commands.write, reports: reports.read,
            life: life.write, proxy: proxy.descriptor, stageKey: key)
    }

    private static let lowestDescriptor: CInt = 10

    private static func failure(_ words: String) -> Failure {
        Failure(description: "no browser: \(words): \(String(cString: strerror(errno)))")
    }

    /// The keeper's reports, until it is gone. On a thread of its own.
    func reportLines() -> AsyncStream<BrowserReport> {
        let (stream, sink) = AsyncStream.makeStream(
            of: BrowserReport.self, bufferingPolicy: .bufferingOldest(64))
        let descriptor = reports
        let thread = Thread {
            if let file = fdopen(descriptor, "r") {
                var line: UnsafeMutablePointer<CChar>?
                var capacity = 0
                while getline(&line, &capacity, file) > 0, let text = line {
                    let words = String(cString: text).split(separator: "\n").first.map(String.init)
                    if let report = words.flatMap({ BrowserReport(line: $0) }) {
                        sink.yield(report)
                    }
                }
                free(line)
                fclose(file)
            }
            sink.finish()
        }
        thread.start()
        return stream
    }
}
