internal import MediaKernel

extension StreamTerms {
    /// Reads those of `publishVideo`. Clients of 2018 leave out most of them.
    init(_ parameters: CallParameters) throws(OpenViduError) {
        self.init()
        if let source = try parameters.optionalText("typeOfVideo", maximum: 32) {
            self.source = Self.sources.contains(source) ? source : "CUSTOM"
        }
        let rate = try parameters.number("frameRate") ?? -1
        if (1...1000).contains(rate) { frameRate = Int(rate) }
        if let text = try parameters.optionalText("videoDimensions", maximum: 1024) {
            dimensions = Self.dimensions(in: text) ?? dimensions
        }
    }

    /// - Parameter text: a JSON object, or a JSON text of it.
    /// - Returns: the object as text, with its two numbers only.
    static func dimensions(in text: String) -> String? {
        guard let root = try? JSONDocument(text, limits: .frame).root else { return nil }
        guard let inner = try? root.decode(String.self) else { return dimensions(of: root) }
        return (try? JSONDocument(inner, limits: .frame).root).flatMap(dimensions(of:))
    }

    private static func dimensions(of root: JSONElement) -> String? {
        guard let width = root.member("width").flatMap({ try? $0.decode(Double.self) }),
            let height = root.member("height").flatMap({ try? $0.decode(Double.self) }),
            (0...65_535).contains(width), (0...65_535).contains(height)
        else { return nil }
        return #"{"width":\#(Int(width)),"height":\#(Int(height))}"#
    }
}
