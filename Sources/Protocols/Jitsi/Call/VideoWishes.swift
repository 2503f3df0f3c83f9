internal import MediaKernel

/// What the program wants to see and to hear, and when the bridge was last told.
struct VideoWishes: Hashable {
    private var layers: [TrackID: LayerPreference] = [:]
    private var unheard: Set<TrackID> = []
    private(set) var isVideoDue = false
    private(set) var isAudioDue = false
    private var toldAt: Instant?

    var isDue: Bool { isVideoDue || isAudioDue }

    mutating func want(_ track: TrackID, layer: LayerPreference) {
        guard layers[track] != nil || layers.count < CallLimits.wishes, layers[track] != layer
        else {
            return
        }
        layers[track] = layer
        isVideoDue = true
    }

    mutating func want(_ track: TrackID, isHeard: Bool) {
        guard isHeard == unheard.contains(track), isHeard || unheard.count < CallLimits.wishes
        else {
            return
        }
        if isHeard { unheard.remove(track) } else { unheard.insert(track) }
        isAudioDue = true
    }

    /// The wishes for tracks that are gone are forgotten.
    mutating func keep(_ tracks: Set<TrackID>) {
        layers = layers.filter { tracks.contains($0.key) }
        unheard.formIntersection(tracks)
    }

    /// A new channel knows nothing of them.
    mutating func begin(receivesVideo: Bool) -> [BridgeRequest] {
        isVideoDue = false
        isAudioDue = false
        return [videoRequest(receivesVideo)] + (unheard.isEmpty ? [] : [audioRequest])
    }

    /// When they may be told: layouts change many at once.
    var deadline: Instant? { isDue ? (toldAt ?? .zero) + CallLimits.wishesInterval : nil }

    mutating func take(at now: Instant, receivesVideo: Bool) -> [BridgeRequest] {
        guard let deadline, deadline <= now else { return [] }
        toldAt = now
        var requests: [BridgeRequest] = []
        if isVideoDue { requests.append(videoRequest(receivesVideo)) }
        if isAudioDue { requests.append(audioRequest) }
        isVideoDue = false
        isAudioDue = false
        return requests
    }

    private func videoRequest(_ receivesVideo: Bool) -> BridgeRequest {
        guard receivesVideo else {
            return .videoConstraints(VideoConstraints(lastN: 0, standardHeight: 0))
        }
        var constraints = VideoConstraints(standardHeight: CameraLayers.bestHeight)
        for (track, layer) in layers {
            constraints.heights[track.rawValue] = CameraLayers.height(layer)
        }
        return .videoConstraints(constraints)
    }

    private var audioRequest: BridgeRequest {
        .audioSubscription(
            AudioSubscription(includesAll: true, excluded: unheard.map(\.rawValue).sorted()))
    }
}
