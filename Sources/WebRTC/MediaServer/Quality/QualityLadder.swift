import MediaKernel
import RTP

/// The layers available of a track, poorest first.
struct QualityLadder: Hashable {
    struct Rung: Hashable {
        var name: LayerPreference
        var choice: LayerChoice
        /// Nil until the first key frame.
        var size: PictureSize?
        var bitsPerSecond: Int
        /// Whether the publisher sends it now.
        var isLive: Bool
    }

    private(set) var rungs: [Rung] = []
    /// The first rung without its upper temporal layers, for subscribers that cannot receive even
    /// that.
    private(set) var base: Rung?

    init() {}

    /// - Parameter picture: the track's count of pictures over all encodings.
    init(of encodings: [SourceEncoding], picture: Int, at now: Instant) {
        if encodings.count == 1 {
            rungs = Self.spatialRungs(of: encodings[0], at: now)
        } else {
            for (index, encoding) in encodings.enumerated() {
                // An encoding without packets cannot be ranked yet.
                guard encoding.ssrc != nil else { continue }
                rungs.append(
                    Rung(
                        name: .high, choice: LayerChoice(encoding: index),
                        size: encoding.sizes.last,
                        bitsPerSecond: encoding.bitsPerSecond(upTo: 0, at: now),
                        isLive: encoding.isLive(picture: picture, at: now)))
            }
            sort(by: encodings.map(\.name))
        }
        name(by: encodings.map(\.name))
        if let lowest = rungs.first, encodings[lowest.choice.encoding].hasTemporalLayers {
            base = lowest
            base?.choice.temporal = 0
            base?.bitsPerSecond = encodings[lowest.choice.encoding].baseBitsPerSecond(at: now)
        }
    }

    private static func spatialRungs(of encoding: SourceEncoding, at now: Instant) -> [Rung] {
        let sizes = encoding.sizes
        // A single encoding always counts as live: without packets there is no alternative.
        guard sizes.count > 1 else {
            return [
                Rung(
                    name: .high, choice: LayerChoice(encoding: 0), size: sizes.last,
                    bitsPerSecond: encoding.bitsPerSecond(
                        upTo: LayerChoice.spatialMaximum, at: now),
                    isLive: true)
            ]
        }
        return sizes.enumerated().map { spatial, size in
            Rung(
                name: .high, choice: LayerChoice(encoding: 0, spatial: spatial), size: size,
                bitsPerSecond: encoding.bitsPerSecond(upTo: spatial, at: now), isLive: true)
        }
    }

    /// Puts the poorest rung first: by the protocol's names if it names all layers, and otherwise by
    /// the sizes of the pictures. Until all sizes are known, and between equal ones, the offer
    /// decides: it lists the preferred layer first (RFC 8853 sect. 5.2).
    private mutating func sort(by names: [LayerPreference?]) {
        let ranks = names.compactMap(\.self)
        let areNamed = Set(ranks).count == names.count
        let areMeasured = rungs.allSatisfy { $0.size != nil }
        rungs.sort { a, b in
            let (first, second) = (a.choice.encoding, b.choice.encoding)
            if areNamed { return ranks[first] < ranks[second] }
            if areMeasured, let sizeA = a.size, let sizeB = b.size, sizeA.pixels != sizeB.pixels {
                return sizeA.pixels < sizeB.pixels
            }
            return first > second
        }
    }

    /// Names rungs without a name by their position.
    private mutating func name(by names: [LayerPreference?]) {
        for index in rungs.indices {
            if let name = names[rungs[index].choice.encoding] {
                rungs[index].name = name
            } else if index == rungs.count - 1 {
                rungs[index].name = .high
            } else {
                rungs[index].name = index == 0 ? .low : .medium
            }
        }
    }

    /// The best live rung within a preference. If all live rungs exceed it, the poorest.
    func best(for preference: LayerPreference) -> Int? {
        guard preference != .none else { return nil }
        let live = rungs.indices.filter { rungs[$0].isLive }
        return live.last { rungs[$0].name <= preference } ?? live.first
    }

    /// The name that a preference asks for, whether or not the publisher sends it now.
    func expected(for preference: LayerPreference) -> LayerPreference {
        guard preference != .none else { return .none }
        return rungs.last { $0.name <= preference }?.name ?? rungs.first?.name ?? preference
    }
}

extension PictureSize {
    fileprivate var pixels: Int { width * height }
}
