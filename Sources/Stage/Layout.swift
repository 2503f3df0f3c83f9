/// The rule that places tiles.
public enum LayoutName: String, Hashable, Sendable, CaseIterable {
    case grid

    /// Participants in any order to tiles in the stage's order.
    public func tiles(
        for participants: [Participant], on canvas: Canvas, options: LayoutOptions = .init()
    ) -> [Tile] {
        switch self {
        case .grid: Stage.grid(participants, on: canvas, options: options)
        }
    }
}

/// What somebody may choose about a layout.
public struct LayoutOptions: Hashable, Sendable {
    /// Background between neighbouring tiles in luma samples; odd numbers are rounded down and
    /// gaps that would leave no picture are narrowed.
    public var gap: Int
    /// How people's pictures fill their tiles. Shared screens are always letterboxed: text at
    /// their edges matters.
    public var fit: TileFit

    public init(gap: Int = 0, fit: TileFit = .crop) {
        self.gap = gap
        self.fit = fit
    }
}
