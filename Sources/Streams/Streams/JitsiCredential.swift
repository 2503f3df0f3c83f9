internal import Foundation

/// By what a Jitsi deployment admits us to a conference. Its description has no password.
public struct JitsiCredential: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public struct Account: Hashable, Sendable, Codable {
        /// The local part of its address.
        public var user: String
        public var password: String

        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    private struct Form: Codable {
        var account: Account?
        var room: String?
    }

    /// Nil for a guest without an account.
    public var account: Account?
    /// Nil for a room without one, or that admits the account in any case.
    public var roomPassword: String?

    public init(account: Account? = nil, roomPassword: String? = nil) {
        self.account = account
        self.roomPassword = roomPassword
    }

    /// The form in which a bot gets it.
    public var text: String {
        let form = Form(account: account, room: roomPassword)
        let data = try? JSONEncoder().encode(form)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    public init?(_ text: String) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(text.utf8)) else {
            return nil
        }
        self.init(account: form.account, roomPassword: form.room)
    }

    public var description: String { account?.user ?? "guest" }
    public var customMirror: Mirror { Mirror(self, children: ["user": description]) }
}
