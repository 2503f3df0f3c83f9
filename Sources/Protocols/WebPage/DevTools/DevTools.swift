import MediaKernel
import NIOCore
import NIOPosix

/// The conversation with one browser over its pipe.
actor DevTools {
    enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case refused(method: String, String)
        case silent(method: String)
        /// The answer lacks a field.
        case unexpected(method: String)
        case closed
        case script(String)

        var description: String {
            switch self {
            case .refused(let method, let reason): "the browser refused \(method): \(reason)"
            case .silent(let method): "the browser does not answer \(method)"
            case .unexpected(let method): "the browser's answer to \(method) lacks a field"
            case .closed: "the browser has closed its pipe"
            case .script(let reason): "a script of ours failed in the browser: \(reason)"
            }
        }
    }

    static let timeout: Duration = .seconds(20)
    /// The most commands without an answer. More mean that the browser has stopped answering.
    static let pendingMaximum = 256

    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    private let commands: AsyncStream<[UInt8]>
    private let sink: AsyncStream<[UInt8]>.Continuation
    private var latest: Int64 = 0
    private var pending: [Int64: CheckedContinuation<JSONValue, any Error>] = [:]
    private var methods: [Int64: String] = [:]
    private var isClosed = false

    private init(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
        self.channel = channel
        // Bounded by `pendingMaximum` and by the events that are answered.
        (commands, sink) = AsyncStream.makeStream()
    }

    /// Takes over the descriptors.
    ///
    /// - Parameters:
    ///   - input: where the browser's messages come from.
    ///   - output: where commands go.
    static func open(
        input: CInt, output: CInt, on eventLoop: any EventLoop
    ) async throws -> DevTools {
        let channel = try await NIOPipeBootstrap(group: eventLoop)
            .takingOwnershipOfDescriptors(input: input, output: output) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return DevTools(channel)
    }

    /// Reads until the browser closes its pipe.
    ///
    /// - Parameter handle: called for each event, in order. The browser is read no further before
    ///   it returns, so it must not wait for an answer of the browser.
    func run(_ handle: @Sendable (DevToolsEvent) async -> Void) async {
        let commands = commands
        _ = try? await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await command in commands {
                        try await outbound.write(ByteBuffer(bytes: command))
                    }
                }
                var framer = DevToolsFramer()
                for try await buffer in inbound {
                    for message in framer.append(buffer.readableBytesView) {
                        guard let message = DevToolsMessage(message) else { continue }
                        switch message {
                        case .result(let id, let value): settle(id, .success(value))
                        case .refusal(let id, let reason):
                            settle(
                                id,
                                .failure(
                                    Failure.refused(method: methods[id] ?? "", reason)))
                        case .event(let event): await handle(event)
                        }
                    }
                }
                group.cancelAll()
            }
        }
        close()
    }

    private func close() {
        isClosed = true
        sink.finish()
        for id in pending.keys { settle(id, .failure(Failure.closed)) }
    }

    /// Sends a command without waiting for its answer.
    func post(
        _ method: String, _ parameters: [String: JSONValue] = [:], session: String? = nil
    ) {
        latest += 1
        sink.yield(
            DevToolsMessage.command(id: latest, method, parameters, session: session))
    }

    /// Sends a command and returns its result.
    ///
    /// - Throws: `Failure`, or `CancellationError`.
    @discardableResult
    func call(
        _ method: String, _ parameters: [String: JSONValue] = [:], session: String? = nil,
        within timeout: Duration = DevTools.timeout
    ) async throws -> JSONValue {
        try Task.checkCancellation()
        guard !isClosed else { throw Failure.closed }
        guard pending.count < Self.pendingMaximum else { throw Failure.silent(method: method) }
        latest += 1
        let id = latest
        methods[id] = method
        let clock = Task {
            try await Task.sleep(for: timeout)
            self.settle(id, .failure(Failure.silent(method: method)))
        }
        defer { clock.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pending[id] = continuation
                sink.yield(
                    DevToolsMessage.command(id: id, method, parameters, session: session))
            }
        } onCancel: {
            Task { await self.settle(id, .failure(CancellationError())) }
        }
    }

    /// Evaluates an expression of ours, waiting for its promise, as if a user had clicked.
    ///
    /// - Returns: the value, as JSON.
    func evaluate(
        _ expression: String, session: String, within timeout: Duration = DevTools.timeout
    ) async throws -> JSONValue {
        let answer = try await call(
            "Runtime.evaluate",
            [
                "expression": .string(expression), "awaitPromise": .bool(true),
                "returnByValue": .bool(true), "userGesture": .bool(true),
            ], session: session, within: timeout)
        if let fault = answer["exceptionDetails"] {
            let words = fault["exception"]?["description"]?.text ?? fault["text"]?.text
            throw Failure.script(String((words ?? "no reason given").prefix(300)))
        }
        return answer["result"]?["value"] ?? .null
    }

    private func settle(_ id: Int64, _ result: Result<JSONValue, any Error>) {
        methods[id] = nil
        pending.removeValue(forKey: id)?.resume(with: result)
    }
}
