public import HLS
import Rooms

/// The ladders that a policy's destinations ask for, by the destination's name.
public struct DestinationLadders: Hashable, Sendable {
    private var ladders: [String: Ladder] = [:]
    private var names: Set<String> = []

    /// No destinations: every stream has the configured ladder.
    public init() {}

    /// Checks the destinations of a policy.
    ///
    /// - Parameter standard: gives the rungs that a destination leaves open.
    /// - Throws: `.invalid`, with the destination and the rule that it breaks.
    init(policy: Policy, standard: Ladder) throws(SettingsError) {
        for (name, destination) in policy.hlsDestinations {
            names.insert(name)
            guard let rungs = destination.layers else { continue }
            let frameRate = destination.videoFrameRate ?? standard.frameRate
            let layers = rungs.enumerated().map { index, rung in
                let base = standard.layers[min(index, standard.layers.count - 1)]
                return Layer(
                    width: rung.width ?? base.width, height: rung.height ?? base.height,
                    frameRate: frameRate,
                    videoBitrate: rung.videoBitrate.map(Self.bits) ?? base.videoBitrate,
                    audioBitrate: rung.audioBitrate.map(Self.bits) ?? base.audioBitrate)
            }
            do throws(LadderError) {
                ladders[name] = try Ladder(validating: layers)
            } catch {
                throw .invalid(key: "policy.file", reason: "destination '\(name)': \(error)")
            }
        }
    }

    /// Policies count in kbit/s. What would overflow is refused by the ladder's own limits.
    private static func bits(_ kilobits: Int) -> Int {
        kilobits.multipliedReportingOverflow(by: 1000).overflow ? .max : kilobits * 1000
    }

    /// Whether a request may name this destination. Without any in the policy, any name is only
    /// kept with the stream.
    func knows(_ destination: String) -> Bool {
        destination.isEmpty || names.isEmpty || names.contains(destination)
    }

    /// A request that names none gets the only one there is, or the one called "default".
    func ladder(for destination: String) -> Ladder? {
        if !destination.isEmpty { return ladders[destination] }
        if names.count == 1, let only = names.first { return ladders[only] }
        return ladders["default"]
    }
}
