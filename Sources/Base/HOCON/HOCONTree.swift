/// What was assigned to the names of an object, before substitutions are resolved. Only the reading
/// of one document knows it, so that its parts can be shared and changed in place.
final class HOCONFields {
    var fields: [String: HOCONField] = [:]

    /// The field at a path, and the fields on the way to it.
    func field(_ path: ArraySlice<String>, at place: HOCONPlace) -> HOCONField {
        var inner = self
        for name in path.dropLast() {
            let field = inner.field(name)
            if case .object(let fields) = field.definitions.last?.content {
                inner = fields
            } else {
                let fields = HOCONFields()
                field.assign(HOCONExpression(.object(fields), at: place))
                inner = fields
            }
        }
        return inner.field(path.last ?? "")
    }

    private func field(_ name: String) -> HOCONField {
        if let field = fields[name] { return field }
        let field = HOCONField()
        fields[name] = field
        return field
    }

    /// Takes all of another object, as if it stood here.
    func merge(_ other: HOCONFields) {
        for (name, field) in other.fields {
            let own = self.field(name)
            for definition in field.definitions { own.assign(definition) }
        }
    }
}

/// One name of an object.
final class HOCONField {
    enum State {
        case waiting
        /// Has what the earlier definitions came to: what the field means to itself.
        case resolving(HOCONValue?)
        /// Nil if it is not defined.
        case resolved(HOCONValue?)
    }

    /// In the order of the text. Those that a later one hides for certain are gone.
    private(set) var definitions: [HOCONExpression] = []
    var state = State.waiting

    func assign(_ expression: HOCONExpression) {
        switch expression.content {
        case .object(let upper):
            if case .object(let lower) = definitions.last?.content {
                lower.merge(upper)
                return
            }
            // What is no object does not remain beside one.
            if definitions.last?.mayDefineObject == false { definitions = [] }
        case .null, .text: definitions = []
        case .list where !expression.refers: definitions = []
        default: break
        }
        definitions.append(expression)
    }
}

/// A value as written.
struct HOCONExpression {
    indirect enum Content {
        case null
        case text(String)
        case list([HOCONExpression])
        case object(HOCONFields)
        case reference(HOCONReference)
        /// At least one is a reference, a list or an object.
        case joined([Piece])
    }

    enum Piece {
        case space(String)
        case value(HOCONExpression)
    }

    var content: Content
    let place: HOCONPlace

    init(_ content: Content, at place: HOCONPlace) {
        self.content = content
        self.place = place
    }

    var mayDefineObject: Bool {
        switch content {
        case .null, .text, .list: false
        case .object, .reference, .joined: true
        }
    }

    /// Whether the value depends on substitutions, as far as one can see without looking into
    /// objects.
    var refers: Bool {
        switch content {
        case .null, .text: false
        case .list(let values): values.contains(where: \.refers)
        case .object, .reference, .joined: true
        }
    }
}

/// `${path}` or `${?path}`.
struct HOCONReference {
    let path: [String]
    /// Where the file was included that the reference stands in: it is looked up there first.
    let scope: [String]
    let isOptional: Bool

    var name: String { path.joined(separator: ".") }
}
