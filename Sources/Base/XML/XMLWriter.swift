extension XMLElement {
    /// The element as XML. Prefixes stand only on attributes; characters that XML excludes become
    /// U+FFFD.
    ///
    /// - Parameter outer: the default namespace around it.
    public func xml(in outer: String = "") -> String {
        var text = ""
        write(to: &text, in: outer)
        return text
    }

    private func write(to text: inout String, in outer: String) {
        text += "<\(name)"
        if namespace != outer { text += " xmlns='\(Self.escaped(namespace, inAttribute: true))'" }
        for (index, attribute) in attributes.enumerated() {
            let value = Self.escaped(attribute.value, inAttribute: true)
            switch attribute.namespace {
            case "": text += " \(attribute.name)='\(value)'"
            case Self.xmlNamespace: text += " xml:\(attribute.name)='\(value)'"
            default:
                let namespace = Self.escaped(attribute.namespace, inAttribute: true)
                text += " xmlns:a\(index)='\(namespace)' a\(index):\(attribute.name)='\(value)'"
            }
        }
        guard !children.isEmpty else {
            text += "/>"
            return
        }
        text += ">"
        for child in children {
            switch child {
            case .element(let element): element.write(to: &text, in: namespace)
            case .text(let string): text += Self.escaped(string, inAttribute: false)
            }
        }
        text += "</\(name)>"
    }

    /// Text that may stand in an element, or as a value in quotes of either kind.
    public static func escaped(_ text: String, inAttribute: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "'": escaped += "&apos;"
            case "\"": escaped += "&quot;"
            case "\r": escaped += "&#13;"
            case "\n" where inAttribute: escaped += "&#10;"
            case "\t" where inAttribute: escaped += "&#9;"
            default:
                escaped.unicodeScalars.append(XMLCharacters.isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return escaped
    }
}
