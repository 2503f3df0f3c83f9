public import MediaKernel

extension Layout {
    /// Arranges participants, given in any order, as tiles in painting order. Equal rooms always
    /// look equal.
    ///
    /// While a screen is shared, `grid` and `speaker` look like `screen`; of several screens the
    /// last shared is large. The last tile counts the participants without a tile, except in
    /// `single` and `pip`, which leave others out on purpose. The speaker always has a tile.
    ///
    /// - Parameter speaker: the present or last speaker.
    public func tiles(
        for participants: [Participant], on canvas: Canvas, speaker: PeerID? = nil
    ) -> [Tile] {
        let cast = Cast(participants, of: self, speaker: speaker)
        let area = area(of: canvas)
        guard area.width >= 2, area.height >= 2, !cast.everybody.isEmpty else { return [] }
        switch name {
        case .single: return single(cast, in: area)
        case .pip: return pictureInPicture(cast, in: area)
        case .grid, .screen, .speaker:
            if let screen = cast.screens.first { return large(screen, of: cast, in: area) }
            if name == .speaker, let person = cast.prominent {
                return large(person, of: cast, in: area)
            }
            return grid(cast, in: area)
        }
    }

    /// Whether peers of a role have tiles.
    public func shows(role: String) -> Bool { roles.isEmpty || roles.contains(role) }

    /// The canvas without its margin; at least half of each side remains.
    private func area(of canvas: Canvas) -> Rectangle {
        let margin = max(0, min(margin, min(canvas.width, canvas.height) / 4)).evenFloor
        return Rectangle(
            x: margin, y: margin, width: canvas.width.evenFloor - 2 * margin,
            height: canvas.height.evenFloor - 2 * margin)
    }

    private func tile(_ content: Tile.Content, in rectangle: Rectangle) -> Tile {
        let fit: TileFit
        switch content {
        case .participant(let one) where one.isScreen: fit = .letterbox
        case .participant, .others: fit = self.fit
        }
        return Tile(content, in: rectangle, fit: fit)
    }

    private func grid(_ cast: Cast, in area: Rectangle) -> [Tile] {
        let seats = min(tilesMaximum, Stage.tilesMaximum)
        let contents = cast.seated(cast.everybody, on: seats)
        return zip(contents, gridRectangles(count: contents.count, in: area, gap: gap))
            .map { tile($0, in: $1) }
    }

    private func large(_ one: Participant, of cast: Cast, in area: Rectangle) -> [Tile] {
        let others = cast.everybody.filter { $0 != one }
        let contents = cast.seated(
            others, on: min(tilesMaximum - 1, LargeAndStrip.seats(in: area)))
        let places = LargeAndStrip(in: area, small: contents.count, gap: gap)
        return [tile(.participant(one), in: places.large)]
            + zip(contents, places.strip).map { tile($0, in: $1) }
    }

    private func single(_ cast: Cast, in area: Rectangle) -> [Tile] {
        // No other participant replaces one that the layout asks for.
        let one = focus == nil ? cast.prominent ?? cast.screens.first : cast.focused
        return one.map { [tile(.participant($0), in: area)] } ?? []
    }

    private func pictureInPicture(_ cast: Cast, in area: Rectangle) -> [Tile] {
        let screen = cast.screens.first
        guard let main = screen ?? cast.focused ?? cast.people.first else { return [] }
        let candidates = cast.people.filter { $0 != main }
        // The focused peer may have nothing but the screen that is large already.
        let wanted = screen == nil || cast.focused == main ? nil : cast.focused
        let small =
            wanted ?? candidates.first { $0.peer == cast.speaker } ?? candidates.first
        let tiles = [tile(.participant(main), in: area)]
        guard let small, tilesMaximum > 1,
            let place = insetRectangle(in: area, at: inset, gap: gap)
        else { return tiles }
        return tiles + [tile(.participant(small), in: place)]
    }
}

/// The participants that the layout shows, in its order.
private struct Cast {
    let screens: [Participant]
    let people: [Participant]
    let speaker: PeerID?
    private let focus: Layout.Focus?

    init(_ participants: [Participant], of layout: Layout, speaker: PeerID?) {
        let shown = participants.filter { layout.shows(role: $0.role) }
        people = shown.filter { !$0.isScreen }.sorted { layout.places($0, before: $1) }
        // The room looks at the screen that was shared last.
        screens = shown.filter(\.isScreen).sorted {
            $0.startedOrder == $1.startedOrder
                ? layout.places($0, before: $1) : $0.startedOrder > $1.startedOrder
        }
        self.speaker = speaker
        focus = layout.focus
    }

    var everybody: [Participant] { screens + people }

    /// The participant that the layout asks for, if present: the person, or else one of their
    /// screens. Of a role, the speaker comes first.
    var focused: Participant? {
        switch focus {
        case .peer(let wanted):
            return everybody.sorted { !$0.isScreen && $1.isScreen }
                .first { $0.peer.rawValue == wanted || $0.name == wanted }
        case .role(let role):
            let candidates = (people + screens).filter { $0.role == role }
            return candidates.first { $0.peer == speaker } ?? candidates.first
        case nil:
            return nil
        }
    }

    /// The participant for the large tile when there is a choice.
    var prominent: Participant? {
        focused ?? people.first { $0.peer == speaker } ?? people.first
    }

    /// The first participants of a list on this many seats; the last seat counts the rest.
    func seated(_ list: [Participant], on seats: Int) -> [Tile.Content] {
        guard seats > 0 else { return [] }
        guard list.count > seats else { return list.map { .participant($0) } }
        let kept = max(1, seats - 1)
        var shown = Array(list.prefix(kept))
        if let speaker, !shown.contains(where: { $0.peer == speaker }),
            let hidden = list.dropFirst(kept).first(where: { $0.peer == speaker })
        {
            shown[kept - 1] = hidden
        }
        let contents = shown.map { Tile.Content.participant($0) }
        return seats == 1 ? contents : contents + [.others(list.count - kept)]
    }
}

extension Layout {
    fileprivate func places(_ a: Participant, before b: Participant) -> Bool {
        switch order {
        case .joined: break
        case .name:
            if a.name != b.name { return a.name < b.name }
        case .role:
            let (first, second) = (rank(a.role), rank(b.role))
            if first != second { return first < second }
        }
        return Participant.precedes(a, b)
    }

    private func rank(_ role: String) -> Int { roles.firstIndex(of: role) ?? roles.count }
}
