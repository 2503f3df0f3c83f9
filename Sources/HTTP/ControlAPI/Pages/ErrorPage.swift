import HTTPTypes
import Hummingbird
import NIOCore

/// The page that a browser shows when a request fails, in place of the API's JSON.
struct ErrorPage {
    let error: APIError
    var texts = Texts.english

    /// Whether the client wants a page: browsers accept HTML when a person opens an address, and
    /// not when a script fetches it.
    static func isWanted(by request: Request) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        let accepted = request.headers[.accept] ?? ""
        return accepted.prefix(Self.acceptMaximum).lowercased().contains("text/html")
    }

    /// The most characters of the header that are read.
    private static let acceptMaximum = 1024

    var answer: Response {
        var headers = error.headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "no-store"
        headers[.vary] = "Accept, Accept-Language"
        headers[.contentLanguage] = texts.language
        headers[.xContentTypeOptions] = "nosniff"
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
        return Response(
            status: error.status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// What a person reads: what is the matter, and what to do next.
    struct Words: Hashable, Sendable {
        var title: String
        var text: String

        init(_ title: String, _ text: String) {
            self.title = title
            self.text = text
        }
    }

    /// Those of the error itself, or else those of its status.
    private var words: Words {
        if let words = error.page { return words }
        return switch error.status.code {
        case 401: Words("This page needs a token", "Open it with the link that you were given.")
        case 403:
            Words(
                "You may not open this page",
                "Ask whoever gave you the link, or whoever runs this server.")
        case 404, 410:
            Words(
                "There is nothing here",
                "The address may be mistyped, or what was here is gone. Check the link, or ask for a"
                    + " new one.")
        case 405, 426:
            Words("This address is not for browsers", "Programs use it. Start from the home page.")
        case 421:
            Words(
                "This server goes by another name",
                "Open it by the name that its operator has set up.")
        case 429: Words("Too many requests", "Wait a moment, then reload the page.")
        case 503: Words("Not right now", "Wait a little, then reload the page.")
        case 500...:
            Words(
                "Something went wrong",
                "It is not your fault. Reload the page; if that does not help, tell whoever runs this"
                    + " server.")
        default:
            Words(
                "This address does not work",
                "The server does not understand it. Check the link, or ask for a new one.")
        }
    }

    private var text: String {
        let words = words
        let home = texts("Go to the home page")
        let reason = ([error.message] + error.details).joined(separator: ": ")
        let (title, text) = (texts(words.title), texts(words.text))
        // For whoever helps: in the words of the documentation.
        let english = texts.isEnglish ? "" : " lang=\"en\""
        return """
            <!doctype html>
            <html lang="\(texts.language)">
              <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(Self.escaped(title)) · Roomcast</title>
                <link rel="icon" href="/assets/common/logo.svg" type="image/svg+xml">
                <link rel="stylesheet" href="/assets/common/base.css">
              </head>
              <body>
                <header class="masthead">
                  <a class="brand" href="/"><img src="/assets/common/logo.svg" alt="" width="28" height="28"
                    >Roomcast</a>
                </header>
                <main class="lost">
                  <h1>\(Self.escaped(title))</h1>
                  <p>\(Self.escaped(text))</p>
                  <p class="quiet"\(english)>\(error.status.code) · \(Self.escaped(reason))</p>
                  <p><a class="button" href="/">\(Self.escaped(home))</a></p>
                </main>
              </body>
            </html>

            """
    }

    /// Escaped for HTML, in text and in quoted attributes.
    ///
    /// By scalars: a quotation mark with an accent is one character, and ends an attribute all the
    /// same.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // HTML has no way to write it.
            case "\0": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
