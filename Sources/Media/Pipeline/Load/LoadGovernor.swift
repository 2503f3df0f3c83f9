import MediaKernel

/// The part of the pictures that is left out because the CPU is short. The sound is never affected.
public struct Reduction: Hashable, Sendable {
    /// Every n-th picture is made; 1 makes all of them.
    public var pictureInterval: Int
    /// Layers, counted from the lowest, that are reduced to a few pictures a second.
    public var layersThinned: Int

    public static let none = Reduction(pictureInterval: 1, layersThinned: 0)

    public init(pictureInterval: Int, layersThinned: Int) {
        self.pictureInterval = pictureInterval
        self.layersThinned = layersThinned
    }

    /// Whether picture `frame` is made for a layer.
    ///
    /// - Parameter layer: 0 is the top layer.
    func makes(frame: Int64, layer: Int, of layers: Int) -> Bool {
        let isThinned = layer >= layers - layersThinned
        let interval = isThinned ? Self.thinnedInterval : pictureInterval
        return frame.isMultiple(of: Int64(interval))
    }

    /// A thinned layer has every n-th picture: five a second out of 30, so that its players go on.
    /// A multiple of every `pictureInterval`.
    static let thinnedInterval = 6
}

/// Decides how many pictures to make with the available CPU: first fewer pictures a second for all
/// layers, then hardly any for the lowest layer, then for the next. Has no clock of its own.
///
/// A lasting backlog leads one step down; each step has a second to show its effect. A calm time
/// leads one step up; a step up that does not hold doubles the calm that the next one needs, so
/// that a machine at its limit does not oscillate.
struct LoadGovernor: Sendable {
    static let backlogHigh: Duration = .milliseconds(400)
    static let backlogLow: Duration = .milliseconds(150)
    /// How long a high backlog must stay.
    static let patience: Duration = .milliseconds(500)
    /// The least time from one step down to the next.
    static let settling: Duration = .seconds(1)
    /// Calm before a step up, at first and at most.
    static let calmMinimum: Duration = .seconds(4)
    static let calmMaximum: Duration = .seconds(64)
    /// A step up that holds for this long has succeeded.
    static let holding: Duration = .seconds(15)

    private let steps: [Reduction]
    private var index = 0
    private var calm = calmMinimum
    private var highSince: Instant?
    private var calmSince: Instant?
    private var lastDown: Instant?
    private var lastUp: Instant?

    var reduction: Reduction { steps[index] }
    /// Whether no further reduction is possible.
    var isExhausted: Bool { index == steps.count - 1 }

    init(layers: Int) {
        let fewerPictures = (1...3).map { Reduction(pictureInterval: $0, layersThinned: 0) }
        let fewerLayers = (1..<max(layers, 1)).map {
            Reduction(pictureInterval: 3, layersThinned: $0)
        }
        steps = fewerPictures + fewerLayers
    }

    /// Takes the lag of the slowest part.
    ///
    /// - Returns: the new reduction, if it changes.
    mutating func observe(backlog: Duration, at now: Instant) -> Reduction? {
        if backlog >= Self.backlogHigh {
            calmSince = nil
            let since = highSince ?? now
            highSince = since
            return now - since >= Self.patience ? stepDown(at: now) : nil
        }
        highSince = nil
        if backlog >= Self.backlogLow {
            calmSince = nil
            return nil
        }
        let since = calmSince ?? now
        calmSince = since
        if let lastUp, now - lastUp >= Self.holding {
            self.lastUp = nil
            calm = Self.calmMinimum
        }
        return index > 0 && now - since >= calm ? stepUp(at: now) : nil
    }

    private mutating func stepDown(at now: Instant) -> Reduction? {
        guard index < steps.count - 1 else { return nil }
        if let lastDown, now - lastDown < Self.settling { return nil }
        if lastUp != nil {
            lastUp = nil
            calm = min(calm * 2, Self.calmMaximum)
        }
        lastDown = now
        index += 1
        return reduction
    }

    private mutating func stepUp(at now: Instant) -> Reduction {
        lastUp = now
        calmSince = now
        index -= 1
        return reduction
    }
}
