public import MediaKernel

/// A mistake in a layout's JSON form.
public enum LayoutError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is said of each field that no layout has: a misspelt field would otherwise have no
    /// effect without notice.
    case unknownFields([String])
    case invalid(field: String, expected: String)

    public var description: String {
        switch self {
        case .unknownFields(let faults): faults.joined(separator: "; ")
        case .invalid(let field, let expected): "\(field) must be \(expected)"
        }
    }
}

extension Layout {
    public static let tilesMaximumRange = 1...Stage.tilesMaximum
    public static let lengthRange = 0...400
    public static let transitionRange = 0...5000
    public static let rolesMaximum = 100
    /// Of a role's or a peer's name, in bytes.
    public static let nameBytesMaximum = 512
    /// Of an image's address, in bytes.
    public static let addressBytesMaximum = 2048

    fileprivate enum Field: String, CaseIterable {
        case name, roles, order
        case tilesMaximum = "max_tiles"
        case focus, fit, gap, margin
        case cornerRadius = "corner_radius"
        case background, watermark
        case defaultPicture = "default_picture"
        case showsNames = "names"
        case marksSpeaker = "speaker_border"
        case inset
        case transition = "transition_ms"

        /// Of a field that is an object: the names of its own fields.
        var parts: [String] {
            switch self {
            case .focus: ["peer", "role"]
            case .background: ["color", "image"]
            case .watermark: ["image", "position", "opacity", "width"]
            default: []
            }
        }
    }

    /// The names of the fields that a layout may have, each with those of the fields in it.
    public static let fieldNames = Dictionary(
        uniqueKeysWithValues: Field.allCases.map { ($0.rawValue, $0.parts) })

    /// Changes the fields that an object names and leaves the rest. `null` resets a field to its
    /// value in `Layout()`. An invalid object changes nothing.
    public mutating func merge(_ json: JSONValue) throws(LayoutError) {
        guard case .object(let fields) = json else {
            throw .invalid(field: "layout", expected: "an object")
        }
        let unknown = Self.unknownFields(in: fields)
        guard unknown.isEmpty else { throw .unknownFields(unknown) }
        var next = self
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard let field = Field(rawValue: name) else { continue }
            try next.set(field, to: WrittenField(path: "layout.\(name)", value: value))
        }
        self = next
    }

    /// Of a name that an error quotes.
    private static let fieldCharactersShown = 64
    private static let faultsMaximum = 10

    /// What is said of the fields that no layout has; of the first ones, if there are many.
    private static func unknownFields(in fields: [String: JSONValue]) -> [String] {
        func faults(
            in fields: [String: JSONValue], at path: String, among names: [String]
        ) -> [String] {
            let nearest = NearestNames(names.sorted())
            return fields.keys.filter { !names.contains($0) }.sorted().prefix(faultsMaximum).map {
                "\(path).\($0.prefix(fieldCharactersShown)) is not known"
                    + nearest.question(after: $0)
            }
        }
        var found = faults(in: fields, at: "layout", among: Field.allCases.map(\.rawValue))
        for field in Field.allCases where !field.parts.isEmpty {
            guard case .object(let inner) = fields[field.rawValue] else { continue }
            found += faults(in: inner, at: "layout.\(field.rawValue)", among: field.parts)
        }
        return Array(found.prefix(faultsMaximum))
    }

    private mutating func set(_ field: Field, to written: WrittenField) throws(LayoutError) {
        let standard = Layout()
        switch field {
        case .name: name = try written.choice() ?? standard.name
        case .roles: roles = try written.names() ?? standard.roles
        case .order: order = try written.choice() ?? standard.order
        case .tilesMaximum:
            tilesMaximum = try written.integer(Self.tilesMaximumRange) ?? standard.tilesMaximum
        case .focus: focus = try written.focus()
        case .fit: fit = try written.choice() ?? standard.fit
        case .gap: gap = try written.integer(Self.lengthRange) ?? standard.gap
        case .margin: margin = try written.integer(Self.lengthRange) ?? standard.margin
        case .cornerRadius:
            cornerRadius = try written.integer(Self.lengthRange) ?? standard.cornerRadius
        case .background: try setBackground(written)
        case .watermark: watermark = try written.watermark(over: watermark)
        case .defaultPicture: defaultPicture = try written.address()
        case .showsNames: showsNames = try written.flag() ?? standard.showsNames
        case .marksSpeaker: marksSpeaker = try written.flag() ?? standard.marksSpeaker
        case .inset:
            let corner: Anchor? = try written.choice(except: .centre)
            inset = corner ?? standard.inset
        case .transition:
            let milliseconds = try written.integer(Self.transitionRange)
            transition = milliseconds.map { .milliseconds($0) } ?? standard.transition
        }
    }

    private mutating func setBackground(_ written: WrittenField) throws(LayoutError) {
        let standard = Layout()
        guard let parts = try written.object(of: Field.background.parts) else {
            background = standard.background
            backgroundImage = standard.backgroundImage
            return
        }
        if let colour = parts["color"] { background = try colour.colour() ?? standard.background }
        if let image = parts["image"] { backgroundImage = try image.address() }
    }

    /// The whole layout in the form that `merge` reads.
    public var json: JSONValue {
        let focused: JSONValue =
            switch focus {
            case .peer(let peer): .object(["peer": .string(peer)])
            case .role(let role): .object(["role": .string(role)])
            case nil: .null
            }
        let mark: JSONValue =
            watermark.map { mark in
                .object([
                    "image": .string(mark.image), "position": .string(mark.anchor.rawValue),
                    "opacity": .number(mark.opacity), "width": .number(mark.width),
                ])
            } ?? .null
        let fields: [Field: JSONValue] = [
            .name: .string(name.rawValue), .roles: .array(roles.map { .string($0) }),
            .order: .string(order.rawValue), .tilesMaximum: .integer(Int64(tilesMaximum)),
            .focus: focused, .fit: .string(fit.rawValue), .gap: .integer(Int64(gap)),
            .margin: .integer(Int64(margin)), .cornerRadius: .integer(Int64(cornerRadius)),
            .background: .object([
                "color": .string(background.description),
                "image": backgroundImage.map { .string($0) } ?? .null,
            ]),
            .watermark: mark, .defaultPicture: defaultPicture.map { .string($0) } ?? .null,
            .showsNames: .bool(showsNames), .marksSpeaker: .bool(marksSpeaker),
            .inset: .string(inset.rawValue), .transition: .integer(transition.milliseconds),
        ]
        return .object(
            Dictionary(uniqueKeysWithValues: fields.map { ($0.key.rawValue, $0.value) }))
    }
}

/// A value and its path, read as the type that its field has. Each reader gives nil for `null`.
private struct WrittenField {
    let path: String
    let value: JSONValue

    private func must(be expected: String) -> LayoutError {
        .invalid(field: path, expected: expected)
    }

    func integer(_ range: ClosedRange<Int>) throws(LayoutError) -> Int? {
        switch value {
        case .null: return nil
        case .integer(let number) where Int64(range.lowerBound)...Int64(range.upperBound) ~= number:
            return Int(number)
        default:
            throw must(be: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    func number(_ range: ClosedRange<Double>) throws(LayoutError) -> Double? {
        switch value {
        case .null: return nil
        case .integer(let number) where range.contains(Double(number)): return Double(number)
        case .number(let number) where range.contains(number): return number
        default: throw must(be: "a number from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    func flag() throws(LayoutError) -> Bool? {
        switch value {
        case .null: return nil
        case .bool(let flag): return flag
        default: throw must(be: "true or false")
        }
    }

    func text(_ maximum: Int, _ expected: String) throws(LayoutError) -> String? {
        switch value {
        case .null: return nil
        case .string(let text) where (1...maximum).contains(text.utf8.count): return text
        default: throw must(be: expected)
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable & Equatable>(
        except excluded: Choice? = nil
    ) throws(LayoutError) -> Choice? {
        if case .null = value { return nil }
        let known = Choice.allCases.filter { $0 != excluded }
        guard case .string(let text) = value, let choice = Choice(rawValue: text),
            known.contains(choice)
        else { throw must(be: "one of " + known.map(\.rawValue).joined(separator: ", ")) }
        return choice
    }

    func names() throws(LayoutError) -> [String]? {
        if case .null = value { return nil }
        let expected = "a list of at most \(Layout.rolesMaximum) role names"
        guard case .array(let entries) = value, entries.count <= Layout.rolesMaximum else {
            throw must(be: expected)
        }
        var names: [String] = []
        for entry in entries {
            let written = WrittenField(path: path, value: entry)
            guard let name = try written.text(Layout.nameBytesMaximum, expected) else {
                throw must(be: expected)
            }
            names.append(name)
        }
        return names
    }

    func colour() throws(LayoutError) -> RGB? {
        if case .null = value { return nil }
        guard case .string(let text) = value, let colour = RGB(text) else {
            throw must(be: "a colour like #16181f")
        }
        return colour
    }

    private static let image = "the http or https URL of an image, or the name of an uploaded one"

    /// An image's address, whose host the caller checks, or the name of an uploaded one.
    func address() throws(LayoutError) -> String? {
        guard let text = try text(Layout.addressBytesMaximum, Self.image) else { return nil }
        guard WebAddress(text) != nil || UploadedPicture(text) != nil else {
            throw must(be: Self.image)
        }
        return text
    }

    /// Those fields of an object that have these names, each with its path.
    func object(of names: [String]) throws(LayoutError) -> [String: WrittenField]? {
        if case .null = value { return nil }
        guard case .object(let fields) = value else {
            throw must(be: "an object with " + names.joined(separator: ", "))
        }
        var parts: [String: WrittenField] = [:]
        for name in names {
            parts[name] = fields[name].map { WrittenField(path: "\(path).\(name)", value: $0) }
        }
        return parts
    }

    func focus() throws(LayoutError) -> Layout.Focus? {
        guard let parts = try object(of: Layout.Field.focus.parts) else { return nil }
        let expected = "a name of at most \(Layout.nameBytesMaximum) bytes"
        switch (
            try parts["peer"]?.text(Layout.nameBytesMaximum, expected),
            try parts["role"]?.text(Layout.nameBytesMaximum, expected)
        ) {
        case (let peer?, nil): return .peer(peer)
        case (nil, let role?): return .role(role)
        case (nil, nil), (_?, _?): throw must(be: "an object with either peer or role")
        }
    }

    func watermark(over current: Layout.Watermark?) throws(LayoutError) -> Layout.Watermark? {
        guard let parts = try object(of: Layout.Field.watermark.parts) else {
            return nil
        }
        let image = try parts["image"]?.address()
        guard let image = image ?? current?.image else {
            throw .invalid(field: "\(path).image", expected: Self.image)
        }
        let standard = Layout.Watermark(image: image)
        var mark = current ?? standard
        mark.image = image
        if let part = parts["position"] { mark.anchor = try part.choice() ?? standard.anchor }
        if let part = parts["opacity"] {
            mark.opacity = try part.number(0...1) ?? standard.opacity
        }
        if let part = parts["width"] { mark.width = try part.number(0.01...1) ?? standard.width }
        return mark
    }
}
