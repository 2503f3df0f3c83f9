import HTTPTypes
import Hummingbird
import MediaKernel

/// The languages of the pages: English, in which they are written, and one for each file in
/// `assets/texts`. A page is translated once for each, when the server starts.
final class Languages: Sendable {
    static let folder = "assets/texts/"
    /// Each has its own copy of the pages.
    static let maximum = 64

    /// Everything in English, and what has no language.
    let files: WebFiles
    /// By the language in lower case.
    private let texts: [String: Texts]
    /// All, in lower case.
    private let names: [String]
    /// The pages in other languages than English, by language and by path.
    private let pages: [String: [String: WebFiles.File]]

    static let english = Languages()

    private init() {
        files = WebFiles(files: [:])
        texts = [:]
        names = [Texts.english.language]
        pages = [:]
    }

    init(_ files: WebFiles) throws(WebFilesError) {
        var texts: [String: Texts] = [:]
        for (path, file) in files.files where path.hasPrefix(Self.folder) {
            let name = path.dropFirst(Self.folder.count)
            guard name.hasSuffix(".json") else { continue }
            let language = String(name.dropLast(".json".count))
            guard Self.isTag(language), language.lowercased() != Texts.english.language,
                let found = try? Texts(language: language, file: file.bytes)
            else { throw .badTexts(path) }
            texts[language.lowercased()] = found
        }
        guard texts.count <= Self.maximum else { throw .tooLarge(Self.folder) }
        self.files = files
        self.texts = texts
        names = texts.keys.sorted() + [Texts.english.language]
        pages = texts.mapValues { texts in
            files.files.filter { $0.key.hasSuffix(".html") }.mapValues {
                WebFiles.File(
                    PageTranslation(texts).translated($0.bytes), mediaType: $0.mediaType)
            }
        }
    }

    /// The reader's words, as far as there are any.
    func texts(for request: Request) -> Texts {
        guard !texts.isEmpty, let header = request.headers[.acceptLanguage] else { return .english }
        return AcceptedLanguages(header).choice(among: names).flatMap { texts[$0] } ?? .english
    }

    func page(_ path: String, in texts: Texts) -> WebFiles.File? {
        pages[texts.language.lowercased()]?[path] ?? files[path]
    }

    /// What a file may be named after: "de", "pt-BR".
    private static func isTag(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.utf8.count), parts.count <= 3 else {
            return false
        }
        return parts.allSatisfy { part in
            (2...8).contains(part.utf8.count)
                && part.utf8.allSatisfy { $0.isWord && $0 != UInt8(ascii: "_") }
        }
    }
}
