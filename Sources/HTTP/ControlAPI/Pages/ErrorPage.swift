import HTTPTypes
import Hummingbird
import NIOCore

/// The page that a browser shows when a request fails, in place of the API's JSON.
struct ErrorPage {
    let error: APIError

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
        headers[.vary] = "Accept"
        headers[.xContentTypeOptions] = "nosniff"
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
        return Response(
            status: error.status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    private var words: (title: String, text: String) {
        switch error.status.code {
        case 401: ("This page needs a token", "Open it by the link that you were given.")
        case 403: ("This page is closed to you", "Ask whoever runs this server.")
        case 404, 410:
            ("There is nothing here", "The address may be mistyped, or what it named is gone.")
        case 429: ("Too many requests", "Wait a moment, then load the page again.")
        case 503: ("Not at the moment", "Wait a little, then load the page again.")
        case 500...:
            ("Something went wrong", "It is this server's fault. Its log says what happened.")
        default: ("This address cannot be opened", "The server does not understand it.")
        }
    }

    private var text: String {
        let (title, text) = words
        let reason = ([error.message] + error.details).joined(separator: ": ")
        return """
            <!doctype html>
            <html lang="en">
              <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(title) · Roomcast</title>
                <link rel="icon" href="/assets/common/logo.svg" type="image/svg+xml">
                <link rel="stylesheet" href="/assets/common/base.css">
              </head>
              <body>
                <header class="masthead">
                  <a class="brand" href="/"><img src="/assets/common/logo.svg" alt="" width="28" height="28"
                    >Roomcast</a>
                </header>
                <main class="lost">
                  <h1>\(title)</h1>
                  <p>\(text)</p>
                  <p class="quiet">\(error.status.code) · \(Self.escaped(reason))</p>
                  <p><a class="button" href="/">To the rooms</a></p>
                </main>
              </body>
            </html>

            """
    }

    /// Escaped for HTML text.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}
