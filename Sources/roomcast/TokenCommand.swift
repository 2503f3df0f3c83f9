import ArgumentParser
import Clocks
import MediaKernel
import Service
import Tokens

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token with the server's own key, and print it.",
        subcommands: [Room.self, Management.self, Recordings.self])

    struct Key: ParsableArguments {
        @OptionGroup var options: SettingsOptions

        @Option(help: "Seconds until it expires, 7776000 (90 days) at most.")
        var lifetime = 86_400

        func authority() throws -> TokenAuthority {
            let input = options.input
            let settings: Settings
            do { settings = try Settings(keyIn: input) } catch { throw input.explained(error) }
            guard lifetime > 0, lifetime <= Int(TokenAuthority.lifetimeMaximum.components.seconds)
            else {
                throw ValidationError(
                    "a token lasts 1 to \(TokenAuthority.lifetimeMaximum.components.seconds) s")
            }
            if settings.access.usesDevelopmentKey {
                StandardError.write(
                    """
                    roomcast token: signed with the development key, since auth.accessKey is not \
                    set: a server with a key of its own refuses it

                    """)
            }
            return try TokenAuthority(
                accessKey: settings.access.key, secret: settings.access.secret)
        }
    }

    struct Room: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A room token: who may join which room in which role.")

        @OptionGroup var key: Key

        @Option(help: "The user's id in your own system.")
        var user = "user"

        @Option(help: "A role of the policy.")
        var role = "host"

        @Argument(help: "The room's id.")
        var room: String

        func run() async throws {
            guard RoomID.isValid(room) else {
                throw ValidationError("'\(room)' is no room id: letters, digits, - and _, up to 64")
            }
            print(
                try key.authority().makeRoomToken(
                    room: RoomID(room), user: user, role: role, at: .now,
                    lifetime: .seconds(key.lifetime)))
        }
    }

    struct Management: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A management token for the HTTP API.")

        @OptionGroup var key: Key

        func run() async throws {
            print(
                try key.authority().makeManagementToken(
                    at: .now, lifetime: .seconds(key.lifetime)))
        }
    }

    struct Recordings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A token for looking at recordings, and for nothing else.")

        @OptionGroup var key: Key

        func run() async throws {
            print(
                try key.authority().makeRecordingsToken(
                    at: .now, lifetime: .seconds(key.lifetime)))
        }
    }
}
