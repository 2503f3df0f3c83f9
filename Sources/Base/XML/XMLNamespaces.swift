/// The declarations of namespaces in force. Namespaces in XML 1.0 (third edition).
struct XMLNamespaces {
    private var bindings: [(prefix: String, namespace: String)] = []

    var count: Int { bindings.count }

    /// Forgets what was declared since there were `count`.
    mutating func leave(_ count: Int) { bindings.removeSubrange(count...) }

    /// Takes the tag's declarations and resolves its names.
    mutating func resolve(_ tag: XMLTag, _ limits: XMLLimits) throws(XMLFault) -> XMLElement {
        for attribute in tag.attributes {
            if attribute.name.prefix == "xmlns" {
                try declare(attribute.name.local, attribute.value)
            } else if attribute.name.prefix.isEmpty, attribute.name.local == "xmlns" {
                try declare("", attribute.value)
            }
        }
        guard bindings.count <= limits.namespaces else {
            throw .policyViolation("more than \(limits.namespaces) namespaces")
        }
        var element = XMLElement(tag.name.local, try namespace(of: tag.name.prefix))
        var seen: Set<XMLElement.Attribute> = []
        for (name, value) in tag.attributes {
            let isDeclaration =
                name.prefix == "xmlns" || name.prefix.isEmpty && name.local == "xmlns"
            var attribute = XMLElement.Attribute(name: name.local, value: "")
            if isDeclaration {
                attribute.namespace = Self.declarations
            } else if !name.prefix.isEmpty {
                attribute.namespace = try namespace(of: name.prefix)
            }
            guard seen.insert(attribute).inserted else {
                throw .notWellFormed("an attribute twice")
            }
            attribute.value = value
            if !isDeclaration { element.attributes.append(attribute) }
        }
        return element
    }

    func namespace(of prefix: String) throws(XMLFault) -> String {
        if prefix == "xml" { return XMLElement.xmlNamespace }
        guard let binding = bindings.last(where: { $0.prefix == prefix }) else {
            guard prefix.isEmpty else { throw .badNamespacePrefix(prefix) }
            return ""
        }
        return binding.namespace
    }

    private static let declarations = "http://www.w3.org/2000/xmlns/"

    private mutating func declare(_ prefix: String, _ namespace: String) throws(XMLFault) {
        // Sect. 3 and 5: both prefixes are bound for ever, and none can be unbound.
        guard prefix != "xmlns", namespace != Self.declarations,
            (prefix == "xml") == (namespace == XMLElement.xmlNamespace),
            prefix.isEmpty || !namespace.isEmpty
        else { throw .notWellFormed("a declaration that namespaces exclude") }
        bindings.append((prefix, namespace))
    }
}
