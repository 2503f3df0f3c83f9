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
    /// Over which the keeper hands the file of the pictures.
    let pictures: CInt
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
    ///   - coresMaximum: that the browser may use.
    ///   - hosts: whose pages may use WebRTC.
    public static func start(
        executable: String, user: SystemUser?, memoryMaximum: Int, coresMaximum: Int,
        hosts: WebHosts
    ) throws(Failure) -> BrowserHandle {
        guard let proxy = GuardProxy.listen() else { throw failure("no socket on the loopback") }
        let key = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        var arguments = [
            "browser", "--proxy-port", "\(proxy.port)", "--stage", key, "--memory",
            "\(memoryMaximum)", "--cores", "\(coresMaximum)",
        ]
        if let user { arguments += ["--user", "\(user)"] }
        for host in hosts.names { arguments += ["--host", host] }
        let keeper: KeeperProcess
        do throws(KeeperProcess.Failure) {
            keeper = try KeeperProcess(
                executable, arguments, inputs: [0, 3], outputs: [1, 4], sockets: [5])
        } catch {
            close(proxy.descriptor)
            throw Failure(description: "no browser: \(error)")
        }
        return BrowserHandle(
            messages: keeper.outputs[1], commands: keeper.inputs[1], reports: keeper.outputs[0],
            life: keeper.inputs[0], pictures: keeper.sockets[0], proxy: proxy.descriptor,
            stageKey: key)
    }

    private static func failure(_ words: String) -> Failure {
        Failure(description: "no browser: \(words): \(String(cString: strerror(errno)))")
    }

    /// The keeper's reports, until it is gone. On a thread of its own.
    func reportLines() -> AsyncStream<BrowserReport> {
        KeeperProcess.lines(of: reports, buffering: .bufferingOldest(64)) {
            BrowserReport(line: $0)
        }
    }
}
