import ControlAPI

/// Where a running server's settings come from, to be read again.
public struct SettingsReading: Sendable {
    /// What was read at one time.
    struct Result {
        let settings: Settings
        /// As given, secrets too.
        let given: [SettingKey: String]
        let shown: [SettingInForce]
    }

    let input: SettingsInput
    /// The program's own changes of what is given.
    private let change: @Sendable (inout Settings) -> Void
    /// Of the process' loggers.
    let level: LogLevel

    public init(
        _ input: SettingsInput, level: LogLevel,
        changing change: @escaping @Sendable (inout Settings) -> Void
    ) {
        self.input = input
        self.level = level
        self.change = change
    }

    /// - Throws: `SettingsFault`, with the place of what is wrong.
    func read() throws -> Result {
        do throws(SettingsError) {
            var settings = try Settings(input)
            change(&settings)
            return Result(
                settings: settings, given: try SettingsSource(input).given,
                shown: SettingsTable(input).inForce)
        } catch {
            throw input.explained(error)
        }
    }
}
