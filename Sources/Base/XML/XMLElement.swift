/// An element with its namespaces resolved: prefixes are gone. Namespaces in XML 1.0.
public struct XMLElement: Hashable, Sendable {
    public enum Node: Hashable, Sendable {
        case element(XMLElement)
        /// Unescaped. Text that arrived in pieces, or partly as CDATA, is one node.
        case text(String)
    }

    public struct Attribute: Hashable, Sendable {
        public var name: String
        /// Empty for an attribute without a prefix, which has no namespace.
        public var namespace: String
        public var value: String

        public init(name: String, namespace: String = "", value: String) {
            self.name = name
            self.namespace = namespace
            self.value = value
        }
    }

    /// That of the prefix `xml`, which needs no declaration.
    public static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"

    public var name: String
    public var namespace: String
    /// Without the declarations of namespaces.
    public var attributes: [Attribute]
    public var children: [Node]

    /// - Parameter attributes: those without a value are left out.
    public init(
        _ name: String, _ namespace: String, _ attributes: KeyValuePairs<String, String?> = [:],
        text: String? = nil, _ elements: [XMLElement] = []
    ) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes.compactMap { name, value in
            value.map { Attribute(name: name, value: $0) }
        }
        children = (text.map { [.text($0)] } ?? []) + elements.map(Node.element)
    }

    /// The value of an attribute without a namespace. Nil removes it.
    public subscript(name: String) -> String? {
        get { attributes.first { $0.name == name && $0.namespace.isEmpty }?.value }
        set {
            attributes.removeAll { $0.name == name && $0.namespace.isEmpty }
            guard let newValue else { return }
            attributes.append(Attribute(name: name, value: newValue))
        }
    }

    public var elements: [XMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The text directly in this element, without that of its children.
    public var text: String {
        children.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    public func isNamed(_ name: String, _ namespace: String) -> Bool {
        self.name == name && self.namespace == namespace
    }

    /// The first child of that name.
    public func child(_ name: String, _ namespace: String) -> XMLElement? {
        elements.first { $0.isNamed(name, namespace) }
    }
}
