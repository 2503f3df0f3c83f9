import HOCON
import MediaKernel

/// Takes single settings out of a document, and collects what is to be said about them.
struct SettingsReader {
    private(set) var findings: [JibriFinding] = []

    /// An object of settings and its path.
    struct Section {
        let value: HOCONValue
        let path: String

        func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
    }

    mutating func say(
        _ kind: JibriFinding.Kind, _ subject: String, _ text: String, at place: HOCONPlace
    ) {
        findings.append(JibriFinding(kind, subject, text, at: place))
    }

    /// What a key has, unless that is nothing or null.
    private func value(_ key: String, in section: Section) -> HOCONValue? {
        let value = section.value.at(key.split(separator: ".").map { String($0) })
        return value?.isNull == true ? nil : value
    }

    /// A value as `read` understands it; nil without one, and if it is wrong.
    private mutating func value<Value>(
        _ key: String, in section: Section, _ wanted: String, _ read: (HOCONValue) -> Value?
    ) -> Value? {
        guard let value = value(key, in: section) else { return nil }
        guard let found = read(value) else {
            say(.wrong, section.name(key), "is not \(wanted)", at: value.place)
            return nil
        }
        return found
    }

    mutating func text(_ key: String, in section: Section) -> String? {
        value(key, in: section, "a text", \.text)
    }

    /// A text that must be there, and not empty.
    mutating func needed(_ key: String, in section: Section) -> String? {
        guard value(key, in: section) != nil else {
            say(.wrong, section.name(key), "is missing", at: section.value.place)
            return nil
        }
        return value(key, in: section, "a text that is not empty") {
            $0.text.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    mutating func flag(_ key: String, in section: Section) -> Bool? {
        value(key, in: section, "true or false", \.flag)
    }

    mutating func port(_ key: String, in section: Section) -> UInt16? {
        value(key, in: section, "a port from 1 to 65535", Self.port)
    }

    static func port(_ value: HOCONValue) -> UInt16? {
        value.integer.flatMap { UInt16(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    mutating func duration(_ key: String, in section: Section) -> Duration? {
        value(key, in: section, "a duration such as '30 seconds'") {
            $0.duration.flatMap { $0 < .zero ? nil : $0 }
        }
    }

    mutating func list(_ key: String, in section: Section) -> [HOCONValue]? {
        value(key, in: section, "a list", \.list)
    }

    /// The texts of a list that `accepts` does not refuse.
    mutating func texts(
        _ key: String, in section: Section, _ wanted: String, _ accepts: (String) -> Bool
    ) -> [String]? {
        guard let values = list(key, in: section) else { return nil }
        return values.compactMap { value in
            if let text = value.text, accepts(text) { return text }
            say(.wrong, section.name(key), "has what is not \(wanted)", at: value.place)
            return nil
        }
    }

    /// A section that must be there.
    mutating func section(_ key: String, in section: Section) -> Section? {
        guard let value = value(key, in: section) else {
            say(.wrong, section.name(key), "is missing", at: section.value.place)
            return nil
        }
        guard value.object != nil else {
            say(.wrong, section.name(key), "is not an object", at: value.place)
            return nil
        }
        return Section(value: value, path: section.name(key))
    }

    /// A section that may be left out.
    mutating func section(ifAny key: String, in section: Section) -> Section? {
        isAbsent(key, in: section) ? nil : self.section(key, in: section)
    }

    func isAbsent(_ key: String, in section: Section) -> Bool { value(key, in: section) == nil }

    func place(of key: String, in section: Section) -> HOCONPlace {
        value(key, in: section)?.place ?? section.value.place
    }
}
