import HTTPTypes
import MediaKernel

/// The cookie that carries a session's id. Scripts cannot read it, and other sites' pages cannot make
/// the browser send it.
enum AdminCookie {
    static let name = "roomcast_admin"
    /// Its path, below which the page and its data are.
    static let path = "/admin"
    /// Longer ones are none of ours.
    private static let idBytesMaximum = 64

    /// The id that a request has.
    static func id(in headers: HTTPFields) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let text = pair.drop { $0 == " " }
                guard text.hasPrefix("\(name)=") else { continue }
                let id = text.dropFirst(name.utf8.count + 1)
                return id.utf8.count <= idBytesMaximum ? String(id) : nil
            }
        }
        return nil
    }

    /// - Parameter isSecure: whether it may travel over TLS only.
    static func set(_ id: String, isSecure: Bool) -> String {
        "\(name)=\(id); Max-Age=\(AdminSessions.lifetime.components.seconds); \(rest(isSecure))"
    }

    static func removed(isSecure: Bool) -> String { "\(name)=; Max-Age=0; \(rest(isSecure))" }

    private static func rest(_ isSecure: Bool) -> String {
        "Path=\(path); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}
