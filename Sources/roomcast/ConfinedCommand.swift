import ArgumentParser
import Logging
import Sandbox

/// A command that processes foreign bytes, and first gives up all rights that it does not need.
protocol ConfinedCommand: ParsableCommand {
    /// Called once, on the main thread, before there are other threads.
    mutating func confine()
}

extension SystemUser {
    /// Parses an option.
    static func parsing(_ text: String) throws -> SystemUser {
        guard let user = SystemUser(text) else {
            throw ValidationError("'\(text)' is not the numbers of a user and a group")
        }
        return user
    }
}

extension Logger {
    /// Logs the protections that this process lacks.
    func reportSandboxGaps() {
        for gap in Sandbox.gaps {
            warning("a wall of the sandbox is missing", metadata: ["wall": "\(gap)"])
        }
    }
}
