public import Sandbox
public import Streams

/// The bot's ends of a program that recognizes speech: the pipes of its keeper.
public struct SpeechHandle: Sendable {
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

    private static let linesMaximum = 256

    /// Starts a keeper, and with it the program. Call it while this process may still start others,
    /// and before it has threads.
    ///
    /// - Parameters:
    ///   - executable: this program.
    ///   - user: who runs the program if this process is root.
    public static func start(
        _ command: SpeechCommand, executable: String, user: SystemUser?
    ) throws(KeeperProcess.Failure) -> SpeechHandle {
        var arguments = ["speech"]
        if let user { arguments += ["--user", "\(user)"] }
        arguments += ["--"] + command.words
        let keeper = try KeeperProcess(executable, arguments, inputs: [0], outputs: [1])
        return SpeechHandle(frames: keeper.inputs[0], output: keeper.outputs[0])
    }

    /// The keeper's lines, until it is gone. For one reader, on a thread of its own.
    public func lines() -> AsyncStream<Line> {
        KeeperProcess.lines(of: output, buffering: .bufferingNewest(Self.linesMaximum)) { Line($0) }
    }
}
