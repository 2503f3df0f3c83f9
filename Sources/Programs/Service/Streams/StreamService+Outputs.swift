import ChildProcesses
import Logging
public import MediaKernel
public import Streams

/// The places that streams are pushed to.
extension StreamService {
    public func addOutput(
        _ target: PushTarget, layer: Int, to id: StreamID
    ) async throws(LiveStreamError) -> (LiveStream, StreamOutput) {
        let stream = try await onAir(id)
        let same = stream.plan.outputs.first { $0.target == target && $0.layer == layer }
        if let same { return (stream, same) }
        try stream.plan.checkOutput(target, layer: layer)
        guard stream.plan.outputs.count < PushTarget.targetsMaximum else {
            throw .tooManyOutputs(id, maximum: PushTarget.targetsMaximum)
        }
        let output = StreamOutput(
            id: "\(stream.plan.lastOutput + 1)", layer: layer, target: target)
        let time = clock().time
        book.update(id) { stream in
            stream.plan.outputs.append(output)
            stream.plan.lastOutput += 1
            stream.updatedAt = time
        }
        if let secret = SecretOutput(output) { book[life: id]?.processes.tell(.addOutput(secret)) }
        log(.info, "output added", id, ["output": "\(output.id)", "target": "\(target)"])
        let changed = book[id] ?? stream
        changeQueue.yield(book.outputNews(of: changed))
        return (changed, output)
    }

    public func removeOutput(
        _ output: String, of id: StreamID
    ) async throws(LiveStreamError) -> LiveStream {
        let stream = try await onAir(id)
        guard stream.plan.outputs.contains(where: { $0.id == output }) else {
            throw .notFound("output \(output.prefix(20)) of stream \(id)")
        }
        let time = clock().time
        book.update(id) { stream in
            stream.plan.outputs.removeAll { $0.id == output }
            stream.health.outputs[output] = nil
            stream.updatedAt = time
        }
        book[life: id]?.processes.tell(.removeOutput(output))
        log(.info, "output removed", id, ["output": "\(output)"])
        let changed = book[id] ?? stream
        changeQueue.yield(book.outputNews(of: changed))
        return changed
    }

    /// A bot's report about an output. One that was removed meanwhile is of no interest.
    func pushed(_ report: PushReport, of id: StreamID) {
        let before = book[id]?.health.outputs[report.id]?.report.state
        guard let output = book[id]?.plan.outputs.first(where: { $0.id == report.id }),
            book.pushed(report, of: id, at: clock().time)
        else { return }
        let isBad = report.state == .retrying || report.state == .failed
        var metadata: Logger.Metadata = [
            "output": "\(report.id)", "target": "\(output.shown)",
            "state": "\(report.state.rawValue)",
        ]
        if let reason = report.reason { metadata["reason"] = "\(reason)" }
        log(isBad ? .warning : .info, "output changed", id, metadata)
        if let stream = book[id] { changeQueue.yield(book.outputNews(of: stream)) }
        guard before != report.state, let status = book[id]?.health.outputs[report.id] else {
            return
        }
        errand(for: id) { service in
            // The last state of a stream stays the last in its line.
            guard service.book[life: id]?.status.isOnAir == true,
                var record = service.book.record(of: id)
            else { return }
            record.output = StreamRecordStore.OutputNews(output: output, status: status)
            service.persister.save(record)
        }
    }
}
