import ArgumentParser
import Logging
import Sandbox

/// A command that works on what strangers sent, and gives up beforehand what it does not need.
protocol ConfinedCommand: ParsableCommand {
    /// Called once, on the main thread, before there are others.
    mutating func confine()
}

extension SystemUser {
    /// Reads an option.
    static func parsing(_ text: String) throws -> SystemUser {
        guard let user = SystemUser(text) else {
            throw ValidationError("'\(text)' is not the numbers of a user and a group")
        }
        return user
    }
}

extension Logger {
    /// Says what this process has to do without.
    func reportSandboxGaps() {
        for gap in Sandbox.gaps {
            warning("a wall of the sandbox is missing", metadata: ["wall": "\(gap)"])
        }
    }
}
