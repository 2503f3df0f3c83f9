import Clocks
import Glibc
import MediaKernel
public import Sandbox

/// Keeps the program that recognizes speech for a bot that cannot: the bot's sandbox allows neither
/// to start a program nor to end one.
///
/// A process of its own between the two, without privileges. Frames come on its standard input and
/// go to the program's; the program's lines go to its standard output. It starts the program again
/// when it ends, and ends it when the bot closes the keeper's standard input, which the kernel does
/// when the bot dies.
public struct SpeechKeeper: ~Copyable {
    private static let niceness: CInt = 5
    private static let bytesPerRead = 1 << 16
    /// The longest wait for anything to happen: a program that has closed its output may live on.
    private static let interval: CInt = 500  // ms
    /// For a program that is asked to end.
    private static let patience: Duration = .seconds(5)
    /// Each of them of as many bytes as a pipe has.
    private static let lastReads = 4
    private static let endRounds = 50
    private static let endInterval: UInt32 = 20_000  // µs

    private let words: [String]
    private let user: SystemUser?
    private var relay = SpeechRelay(at: MonotonicClock.now)
    private var lines = SpeechLines(at: MonotonicClock.now)
    private var losses = SpeechLosses(at: MonotonicClock.now)
    private var program: Program?

    private struct Program {
        var process: pid_t
        /// Where frames go; below 0 once it is closed.
        var input: CInt
        /// Where lines come from; below 0 once it is closed.
        var output: CInt
        /// When it is killed, if it has been asked to end.
        var patience: Instant?
    }

    /// - Parameters:
    ///   - words: the program's absolute path and its arguments.
    ///   - user: who runs the program if this process is root; nil or root: the same user. Without
    ///     the right to become another one, no program is started.
    public init(words: [String], user: SystemUser?) {
        self.words = words
        self.user = user
    }

    /// Runs until the bot is gone.
    ///
    /// - Returns: this process' exit status.
    public consuming func run() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        for gap in PlainUser.enter(user) { tell("the keeper of speech recognition: \(gap)") }
        if user != nil, user != .root, SystemUser.mayChange {
            tell("no captions: the program would run as root")
            return 1
        }
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
        var isOver = false
        while !isOver {
            startIfDue()
            isOver = step()
            killIfDue()
            reap()
            tellLosses()
        }
        end()
        return 0
    }

    private mutating func startIfDue() {
        let now = MonotonicClock.now
        guard let start = relay.start(at: now), start.isDue else { return }
        relay.started(at: now)
        lines.breakOff()
        guard let started = Self.start(words) else {
            ended("cannot be started: \(String(cString: strerror(errno)))")
            return
        }
        program = started
    }

    /// - Returns: nil with `errno`.
    private static func start(_ words: [String]) -> Program? {
        guard let input = ProgramStart.pipe() else { return nil }
        guard let output = ProgramStart.pipe() else {
            let code = errno
            for end in [input.read, input.write] { close(end) }
            errno = code
            return nil
        }
        // A program that does not read must not hold up the bot.
        var process: pid_t?
        if fcntl(input.write, F_SETFL, O_NONBLOCK) == 0 {
            process = ProgramStart.spawn(
                words[0], Array(words.dropFirst()), ProgramStart.plainEnvironment,
                descriptors: [(input.read, 0), (output.write, 1)])
        }
        let code = errno
        close(input.read)
        close(output.write)
        guard let process else {
            close(input.write)
            close(output.read)
            errno = code
            return nil
        }
        return Program(process: process, input: input.write, output: output.read)
    }

    /// Waits until something has happened and passes it on.
    ///
    /// - Returns: whether the bot is gone.
    private mutating func step() -> Bool {
        let wait = relay.start(at: MonotonicClock.now)?.wait.milliseconds ?? Int64(Self.interval)
        var polled = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            pollfd(fd: program?.output ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: relay.hasOutput ? program?.input ?? -1 : -1, events: Int16(POLLOUT), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), CInt(min(wait + 1, Int64(Self.interval))))
        guard count > 0 else { return count < 0 && errno != EINTR }
        if polled[1].revents != 0 { takeLines() }
        if polled[2].revents != 0 { passOn() }
        if polled[0].revents != 0 { return !takeFrames() }
        return false
    }

    /// - Returns: false when there will be no more.
    private mutating func takeFrames() -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.bytesPerRead)
        let count = read(0, &bytes, bytes.count)
        guard count > 0 else { return count < 0 && errno == EINTR }
        let isSound = relay.received(bytes[..<count])
        passOn()
        if relay.hangs, let program { kill(-program.process, SIGKILL) }
        return isSound
    }

    private mutating func passOn() {
        guard let running = program, running.input >= 0, relay.hasOutput else { return }
        let count = relay.withOutput { write(running.input, $0.baseAddress, $0.count) }
        if count > 0 { return relay.written(count) }
        guard errno != EAGAIN, errno != EINTR else { return }
        // It has closed its input, so there is nothing more for it to hear.
        close(running.input)
        program?.input = -1
        dismiss(running.process)
    }

    private mutating func takeLines() {
        guard let output = program?.output, output >= 0 else { return }
        var bytes = [UInt8](repeating: 0, count: Self.bytesPerRead)
        let count = read(output, &bytes, bytes.count)
        guard count > 0 else {
            guard count == 0 || errno != EINTR else { return }
            close(output)
            program?.output = -1
            // Nothing more is to be had of it.
            if let running = program { dismiss(running.process) }
            return
        }
        for line in lines.read(bytes[..<count], at: MonotonicClock.now) { print(line) }
    }

    /// Asks the program to end, and kills it later if it does not.
    private mutating func dismiss(_ process: pid_t) {
        kill(-process, SIGTERM)
        if program?.patience == nil { program?.patience = MonotonicClock.now + Self.patience }
    }

    private func killIfDue() {
        guard let running = program, let due = running.patience, MonotonicClock.now >= due else {
            return
        }
        kill(-running.process, SIGKILL)
    }

    private mutating func reap() {
        guard let running = program else { return }
        var status: CInt = 0
        guard waitpid(running.process, &status, WNOHANG) == running.process else { return }
        // Its last words. Its own children may still hold the pipe.
        if running.output >= 0 { _ = fcntl(running.output, F_SETFL, O_NONBLOCK) }
        for _ in 0..<Self.lastReads where program?.output ?? -1 >= 0 { takeLines() }
        forget()
        let isExit = status & 0x7F == 0
        ended(isExit ? "ended with \(status >> 8 & 0xFF)" : "died of signal \(status & 0x7F)")
    }

    private mutating func forget() {
        guard let running = program else { return }
        // It may have started others.
        kill(-running.process, SIGKILL)
        if running.input >= 0 { close(running.input) }
        if running.output >= 0 { close(running.output) }
        program = nil
    }

    private mutating func ended(_ how: String) {
        let pause = relay.ended(at: MonotonicClock.now)
        tell("\(words[0]) \(how); it is started again in \(pause.milliseconds / 1000) s")
    }

    private mutating func end() {
        guard let running = program else { return }
        if running.input >= 0 { close(running.input) }
        kill(-running.process, SIGTERM)
        var status: CInt = 0
        for _ in 0..<Self.endRounds {
            if waitpid(running.process, &status, WNOHANG) == running.process { break }
            usleep(Self.endInterval)
        }
        kill(-running.process, SIGKILL)
        while waitpid(-1, &status, WNOHANG) > 0 {}
    }

    private mutating func tellLosses() {
        let notice = losses.notice(
            sound: relay.leftOut, lines: lines.leftOut, at: MonotonicClock.now)
        if let notice { tell(notice) }
    }

    private func print(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        var place = 0
        while place < bytes.count {
            let count = bytes[place...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            place += max(0, count)
        }
    }

    /// For the bot's log.
    private func tell(_ words: String) { print("# \(words)") }
}
