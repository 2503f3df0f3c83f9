/// Puts values in place of substitutions.
struct HOCONResolver {
    private let root: HOCONFields
    private let environment: [String: String]
    private let limits: HOCONLimits
    private var copies = 0
    private var steps = 0

    init(_ root: HOCONFields, environment: [String: String], limits: HOCONLimits) {
        self.root = root
        self.environment = environment
        self.limits = limits
    }

    /// - Returns: nil for what is not defined, which only optional substitutions are.
    mutating func value(_ expression: HOCONExpression) throws(HOCONFault) -> HOCONValue? {
        steps += 1
        defer { steps -= 1 }
        guard steps <= limits.steps else {
            throw HOCONFault(
                "values and substitutions more than \(limits.steps) deep", at: expression.place)
        }
        switch expression.content {
        case .null: return HOCONValue(.null, at: expression.place)
        case .text(let text): return HOCONValue(.text(text), at: expression.place)
        case .list(let items):
            var values: [HOCONValue] = []
            for item in items { if let value = try self.value(item) { values.append(value) } }
            return HOCONValue(.list(values), at: expression.place)
        case .object(let fields): return try object(fields, at: expression.place)
        case .reference(let reference): return try value(reference, at: expression.place)
        case .joined(let pieces): return try joined(pieces, at: expression.place)
        }
    }

    private mutating func object(
        _ fields: HOCONFields, at place: HOCONPlace
    ) throws(HOCONFault) -> HOCONValue {
        var members: [String: HOCONValue] = [:]
        // In a fixed order, so that a faulty text always has the same fault.
        for (name, field) in fields.fields.sorted(by: { $0.key < $1.key }) {
            members[name] = try value(field)
        }
        return HOCONValue(.object(members), at: place)
    }

    private mutating func value(_ field: HOCONField) throws(HOCONFault) -> HOCONValue? {
        switch field.state {
        case .resolved(let value), .resolving(let value): return value
        case .waiting: break
        }
        var current: HOCONValue?
        for definition in field.definitions {
            field.state = .resolving(current)
            guard let next = try value(definition) else { continue }
            if next.object != nil, let current, current.object != nil {
                try charge(for: current, at: definition.place)
            }
            current = next.merged(over: current)
        }
        field.state = .resolved(current)
        return current
    }

    // MARK: - Substitutions

    private mutating func value(
        _ reference: HOCONReference, at place: HOCONPlace
    ) throws(HOCONFault) -> HOCONValue? {
        var found: HOCONValue?
        if !reference.scope.isEmpty { found = try value(at: reference.scope + reference.path) }
        if found == nil { found = try value(at: reference.path) }
        if found == nil {
            found = environment[reference.name].map { HOCONValue(.text($0), at: place) }
        }
        guard let found else {
            if reference.isOptional { return nil }
            throw HOCONFault(
                "'${\(reference.name)}' is defined neither before it nor in the environment, "
                    + "or leads back to itself", at: place)
        }
        try charge(for: found, at: place)
        return found
    }

    private mutating func value(at path: [String]) throws(HOCONFault) -> HOCONValue? {
        var fields = root
        for (index, name) in path.enumerated() {
            guard let field = fields.fields[name] else { return nil }
            let rest = path[(index + 1)...]
            if rest.isEmpty { return try value(field) }
            // Looked into without being resolved: what asks may stand in it.
            if field.definitions.count == 1, case .object(let inner) = field.definitions[0].content
            {
                fields = inner
                continue
            }
            guard case .resolving(let earlier) = field.state else {
                return try value(field)?.at(rest)
            }
            if let value = earlier?.at(rest) { return value }
            guard case .object(let inner) = field.definitions.last?.content else { return nil }
            fields = inner
        }
        return nil
    }

    private mutating func joined(
        _ pieces: [HOCONExpression.Piece], at place: HOCONPlace
    ) throws(HOCONFault) -> HOCONValue? {
        var joined: HOCONValue?
        var space = ""
        for piece in pieces {
            switch piece {
            case .space(let blanks): space += blanks
            case .value(let expression):
                guard let next = try value(expression) else { continue }
                joined = try Self.join(joined, space, next, at: place)
                space = ""
            }
        }
        // Spaces around a text that is not there remain, as in a text in quotes.
        if !space.isEmpty, case .text(let text) = joined?.content {
            joined?.content = .text(text + space)
        }
        return joined
    }

    private static func join(
        _ first: HOCONValue?, _ space: String, _ next: HOCONValue, at place: HOCONPlace
    ) throws(HOCONFault) -> HOCONValue {
        guard let first else {
            guard !space.isEmpty, let text = next.text else { return next }
            return HOCONValue(.text(space + text), at: place)
        }
        switch (first.content, next.content) {
        case (.list(let items), .list(let more)): return HOCONValue(.list(items + more), at: place)
        case (.object, .object): return next.merged(over: first)
        case (.text, .text), (.text, .null), (.null, .text), (.null, .null):
            let text = (first.text ?? "null") + space + (next.text ?? "null")
            return HOCONValue(.text(text), at: place)
        default:
            throw HOCONFault(
                "\(kind(of: first)) joined with \(kind(of: next))", at: next.place)
        }
    }

    private static func kind(of value: HOCONValue) -> String {
        switch value.content {
        case .list: "a list"
        case .object: "an object"
        case .null, .text: "a text"
        }
    }

    /// Also bounds how deep values become, each of which may hold one that is as deep.
    private mutating func charge(
        for value: HOCONValue, depth: Int = 0, at place: HOCONPlace
    ) throws(HOCONFault) {
        guard depth < limits.steps else {
            throw HOCONFault("values more than \(limits.steps) deep", at: place)
        }
        copies += 1
        switch value.content {
        case .null: break
        case .text(let text): copies += text.utf8.count
        case .list(let values):
            for value in values { try charge(for: value, depth: depth + 1, at: place) }
        case .object(let members):
            for (name, value) in members {
                copies += name.utf8.count
                try charge(for: value, depth: depth + 1, at: place)
            }
        }
        guard copies <= limits.copies else {
            throw HOCONFault("substitutions that copy more than \(limits.copies) bytes", at: place)
        }
    }
}
