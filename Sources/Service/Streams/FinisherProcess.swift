import MediaKernel
import Subprocess
import Synchronization
import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Starts finishers as processes of their own: `<executable> finish …`. One whose parent dies
/// goes on to its end; the next server's finisher waits for it and finds its work done.
public struct FinisherProcess: FinisherLauncher {
    /// Longer lines are not read: a finisher that writes one is broken.
    static let lineBytesMaximum = 64 * 1024

    private let executable: String

    /// - Parameter executable: the path of the program that has a `finish` command.
    public init(executable: String) { self.executable = executable }

    public func run(
        _ job: FinisherJob, kill: AsyncStream<Void>,
        report: @escaping @Sendable (FinisherReport) async -> Void
    ) async -> FinisherExit {
        let failure = Mutex<FinisherExit?>(nil)
        do {
            let result = try await Subprocess.run(
                .path(FilePath(executable)),
                arguments: ["finish", "--recordings", job.recordings, job.directory],
                environment: ChildProcess.environment(), input: .none, output: .sequence,
                error: .currentStandardError
            ) { execution in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await _ in kill { try? execution.send(signal: .kill) }
                    }
                    let lines = execution.standardOutput.strings(
                        separatedBy: ChildProcess.lineEnd,
                        bufferingPolicy: .maxLineLength(Self.lineBytesMaximum))
                    for try await line in lines {
                        guard let event = FinisherReport(line: line) else { continue }
                        if case .failed(let reason, let isForWantOfRoom) = event {
                            failure.withLock {
                                $0 =
                                    isForWantOfRoom
                                    ? .noRoom(reason: reason) : .failed(reason: reason)
                            }
                        }
                        await report(event)
                    }
                    group.cancelAll()
                }
            }
            if let exit = failure.withLock({ $0 }) { return exit }
            guard result.terminationStatus.isSuccess else {
                return .failed(reason: "\(result.terminationStatus)")
            }
            return .finished
        } catch {
            return .failed(reason: "the finisher cannot be run: \(error)")
        }
    }
}

extension FinisherReport {
    /// Nil for what is no report: a newer finisher may say more than this server understands.
    init?(line: some StringProtocol) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line.utf8)) else {
            return nil
        }
        switch fields.event {
        case "progress": self = .progress(fields.permille ?? 0)
        case "left_out": self = .leftOut(layer: fields.layer ?? 0, segment: fields.segment ?? 0)
        case "without_thumbnails":
            self = .withoutThumbnails(reason: fields.reason ?? "no reason given")
        case "finished": self = .finished(assets: fields.assets ?? 0)
        case "failed":
            self = .failed(
                reason: fields.reason ?? "no reason given",
                isForWantOfRoom: fields.isForWantOfRoom ?? false)
        default: return nil
        }
    }

    private struct Fields: Decodable {
        var event: String
        var permille: Int?
        var layer: Int?
        var segment: Int?
        var assets: Int?
        var reason: String?
        var isForWantOfRoom: Bool?

        enum CodingKeys: String, CodingKey {
            case event, permille, layer, segment, assets, reason
            case isForWantOfRoom = "no_room"
        }
    }
}
