internal import XML

/// Attributes and children of untrusted elements.
extension XMLElement {
    func text(_ attribute: String, maximum: Int = JitsiLimits.attributeBytes) throws(JitsiFault)
        -> String
    {
        guard let value = self[attribute] else { throw .missing("\(attribute) of <\(name)>") }
        guard !value.isEmpty, value.utf8.count <= maximum else {
            throw .malformed("\(attribute) of <\(name)>")
        }
        return value
    }

    /// Digits only.
    func number<Number: FixedWidthInteger>(
        _ attribute: String, in range: ClosedRange<Number>
    ) throws(JitsiFault) -> Number {
        let value = try text(attribute)
        guard let number = Self.number(value, in: range) else {
            throw .malformed("\(attribute) of <\(name)>")
        }
        return number
    }

    func optionalNumber<Number: FixedWidthInteger>(
        _ attribute: String, in range: ClosedRange<Number>
    ) throws(JitsiFault) -> Number? {
        self[attribute] == nil ? nil : try number(attribute, in: range)
    }

    func children(
        _ name: String, _ namespace: String, maximum: Int
    ) throws(JitsiFault) -> [XMLElement] {
        let found = elements.filter { $0.isNamed(name, namespace) }
        guard found.count <= maximum else { throw .tooMany("<\(name)>", maximum: maximum) }
        return found
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String, in range: ClosedRange<Number>
    ) -> Number? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Number(text),
            range.contains(number)
        else { return nil }
        return number
    }
}
