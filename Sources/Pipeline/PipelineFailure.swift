import Recording

/// Why a pipeline cannot go on.
public struct PipelineFailure: Hashable, Sendable {
    /// For people.
    public var reason: String
    /// Whether a disk is full.
    public var isForWantOfRoom: Bool

    public init(_ reason: String, isForWantOfRoom: Bool = false) {
        self.reason = reason
        self.isForWantOfRoom = isForWantOfRoom
    }

    /// - Parameter place: where it happened: `layer 0`.
    init(_ error: any Error, in place: String) {
        self.init(
            "\(place): \(error)",
            isForWantOfRoom: (error as? RecordingError)?.isForWantOfRoom ?? false)
    }
}
