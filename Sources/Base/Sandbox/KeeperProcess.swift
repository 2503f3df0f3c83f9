import Foundation
public import Glibc

/// The keeper of a foreign program, as the confined process sees it that needs the program: this
/// program with another command, and pipes to it.
public struct KeeperProcess: Sendable {
    /// Why it cannot be started.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String

        fileprivate init(_ words: String) {
            description = "\(words): \(String(cString: strerror(errno)))"
        }
    }

    /// This process' ends of the pipes that the keeper reads, and of those that it writes, in the
    /// given order.
    public let inputs: [CInt]
    public let outputs: [CInt]
    /// This process' ends of the sockets, over which the keeper may hand descriptors.
    public let sockets: [CInt]
    /// Nobody waits for it: it ends with this process, or this process with it.
    public let id: pid_t

    /// Starts it. Call it while this process may still start others, and before it has threads.
    ///
    /// - Parameters:
    ///   - executable: this program.
    ///   - inputs: the keeper's descriptors that it reads.
    ///   - outputs: those that it writes.
    ///   - sockets: those that are sockets to this process.
    public init(
        _ executable: String, _ arguments: [String], inputs: [CInt], outputs: [CInt],
        sockets: [CInt] = []
    ) throws(Failure) {
        var own: [CInt] = []
        var given: [(from: CInt, to: CInt)] = []
        defer { for end in given { close(end.from) } }
        func connect(_ numbers: [CInt], _ make: () -> (own: CInt, given: CInt)?) throws(Failure) {
            for number in numbers {
                guard let ends = make() else {
                    let failure = Failure("no pipe")
                    for end in own { close(end) }
                    throw failure
                }
                own.append(ends.own)
                given.append((ends.given, number))
            }
        }
        try connect(inputs) { ProgramStart.pipe().map { ($0.write, $0.read) } }
        try connect(outputs) { ProgramStart.pipe().map { ($0.read, $0.write) } }
        try connect(sockets) { ProgramStart.socketPair().map { ($0.0, $0.1) } }
        let process = ProgramStart.spawn(
            executable, arguments, ProgramStart.plainEnvironment, descriptors: given)
        guard let process else {
            let failure = Failure("the keeper cannot be started")
            for end in own { close(end) }
            throw failure
        }
        id = process
        self.inputs = Array(own.prefix(inputs.count))
        self.outputs = Array(own.dropFirst(inputs.count).prefix(outputs.count))
        self.sockets = Array(own.suffix(sockets.count))
    }

    /// What a keeper prints, until it is gone. For one reader, on a thread of its own.
    ///
    /// - Parameters:
    ///   - output: closed at the end.
    ///   - parse: nil for a line that is left out.
    public static func lines<Line: Sendable>(
        of output: CInt, buffering: AsyncStream<Line>.Continuation.BufferingPolicy,
        parse: @escaping @Sendable (String) -> Line?
    ) -> AsyncStream<Line> {
        let (stream, sink) = AsyncStream.makeStream(of: Line.self, bufferingPolicy: buffering)
        let thread = Thread {
            if let file = fdopen(output, "r") {
                var line: UnsafeMutablePointer<CChar>?
                var capacity = 0
                while getline(&line, &capacity, file) > 0, let text = line {
                    let words = String(cString: text).split(separator: "\n").first.map(String.init)
                    if let line = words.flatMap({ parse($0) }) { sink.yield(line) }
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
