import Foundation
import Glibc
public import Sandbox
public import Streams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#endif

/// The bot's ends of a program that recognizes speech: the pipes of its keeper.
public struct SpeechHandle: Sendable {
    /// Why none can be started.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// What the keeper prints.
    public enum Line: Hashable, Sendable {
        case said(SpokenText)
        /// For people.
        case notice(String)

        /// Nil for a line of neither kind.
        init?(_ line: String) {
            if line.hasPrefix("# ") {
                self = .notice(String(line.dropFirst(2)))
            } else if let text = SpokenText(line: line) {
                self = .said(text)
            } else {
                return nil
            }
        }
    }

    /// Where frames go. The keeper ends the program when this is closed.
    public let frames: CInt
    private let output: CInt

    private static let lowestDescriptor: CInt = 10
    private static let linesMaximum = 256

    /// Starts a keeper, and with it the program. Call it while this process may still start others,
    /// and before it has threads.
    ///
    /// - Parameters:
    ///   - executable: this program.
    ///   - user: who runs the program if this process is root.
    public static func start(
        _ command: SpeechCommand, executable: String, user: SystemUser?
    ) throws(Failure) -> SpeechHandle {
        func pipe() throws(Failure) -> (read: CInt, write: CInt) {
            var ends: [CInt] = [0, 0]
            guard Glibc.pipe(&ends) == 0 else { throw failure("no pipe") }
            // Above 1, so that none is closed before the keeper gets it.
            let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, lowestDescriptor) }
            for end in ends { Glibc.close(end) }
            guard moved.allSatisfy({ $0 >= 0 }) else { throw failure("no pipe") }
            return (moved[0], moved[1])
        }
        let (frames, lines) = (try pipe(), try pipe())
        var arguments = ["speech"]
        if let user { arguments += ["--user", "\(user)"] }
        arguments += ["--"] + command.words
        let names: [String] = [
            "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
        ]
        let kept = names.compactMap { name in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        let process = ProgramStart.spawn(
            executable, arguments, kept, descriptors: [(frames.read, 0), (lines.write, 1)])
        for end in [frames.read, lines.write] { Glibc.close(end) }
        guard process != nil else { throw failure("the keeper cannot be started") }
        return SpeechHandle(frames: frames.write, output: lines.read)
    }

    private static func failure(_ words: String) -> Failure {
        Failure(description: "no captions: \(words): \(String(cString: strerror(errno)))")
    }

    /// The keeper's lines, until it is gone. For one reader, on a thread of its own.
    public func lines() -> AsyncStream<Line> {
        let (stream, sink) = AsyncStream.makeStream(
            of: Line.self, bufferingPolicy: .bufferingNewest(Self.linesMaximum))
        let descriptor = output
        let thread = Thread {
            if let file = fdopen(descriptor, "r") {
                var line: UnsafeMutablePointer<CChar>?
                var capacity = 0
                while getline(&line, &capacity, file) > 0, let text = line {
                    let words = String(cString: text).split(separator: "\n").first.map(String.init)
                    if let line = words.flatMap({ Line($0) }) { sink.yield(line) }
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
