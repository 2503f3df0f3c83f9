import Glibc

/// Why a recording, or one of its assets, cannot be made.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From this byte on, a segment has content that Roomcast does not write. Costs the segment.
    case malformed(what: String, offset: Int)
    /// A segment's file is missing, or its bytes do not match the log. Costs the segment, in all
    /// layers.
    case damaged(layer: Int, segment: Int)
    /// No segment exists in every layer.
    case nothingRecorded
    /// A system call on a file failed. Costs the asset.
    case file(path: String, call: String, code: Int32, reason: String)
    /// The archive refused a file. Costs the asset.
    case archive(String)

    /// Whether a full disk is the cause.
    public var isForWantOfRoom: Bool {
        guard case .file(_, _, let code, _) = self else { return false }
        return code == ENOSPC || code == EDQUOT
    }

    public var description: String {
        switch self {
        case .malformed(let what, let offset): "\(what) at byte \(offset)"
        case .damaged(let layer, let segment): "segment \(segment) of layer \(layer) is damaged"
        case .nothingRecorded: "nothing was recorded"
        case .file(let path, let call, _, let reason): "\(call) \(path): \(reason)"
        case .archive(let reason): "archive: \(reason)"
        }
    }
}
