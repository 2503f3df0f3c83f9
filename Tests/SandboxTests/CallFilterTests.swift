import CSandbox
import Glibc
import Testing

@testable import Sandbox

/// Executes a filter's instructions like the kernel.
private struct Interpreter {
    enum Verdict: Equatable {
        case allowed
        case refused(Int32)
        case astray
    }

    let filter: CallFilter

    func judge(
        _ number: UInt32, on architecture: Architecture, arguments: [UInt32] = []
    ) -> Verdict {
        let padded = arguments + Array(repeating: 0, count: 6 - arguments.count)
        var words: [UInt32] = [number, architecture.auditNumber, 0, 0]
        for argument in padded { words += [argument, 0] }
        var (accumulator, place): (UInt32, Int) = (0, 0)
        while place < filter.instructions.count {
            let step = filter.instructions[place]
            place += 1
            let holds: Bool
            switch step.code {
            case CallFilter.Code.load:
                accumulator = words[Int(step.value) / 4]
                continue
            case CallFilter.Code.answer:
                if step.value == CallFilter.Answer.allow { return .allowed }
                guard step.value & 0xFFFF_0000 == 0x0005_0000 else { return .astray }
                return .refused(Int32(step.value & 0xFFFF))
            case CallFilter.Code.isEqual: holds = accumulator == step.value
            case CallFilter.Code.isAtLeast: holds = accumulator >= step.value
            case CallFilter.Code.hasBit: holds = accumulator & step.value != 0
            default: return .astray
            }
            place += Int(holds ? step.whenTrue : step.whenFalse)
        }
        return .astray
    }
}

struct CallFilterTests {
    private static let own: UInt32 = 4711

    private func interpreter(
        on architecture: Architecture, families: [UInt32] = [2, 10, 16]
    ) -> Interpreter {
        Interpreter(
            filter: CallFilter(
                CallRules.refused(process: Self.own, families: families), on: architecture,
                foreignError: EPERM))
    }

    @Test(arguments: Architecture.allCases)
    func everyCallHasAVerdict(architecture: Architecture) {
        let interpreter = interpreter(on: architecture)
        for number in 0..<UInt32(600) {
            #expect(interpreter.judge(number, on: architecture) != .astray)
        }
    }

    @Test(arguments: Architecture.allCases)
    func whatStartsProgramsIsRefused(architecture: Architecture) throws {
        let interpreter = interpreter(on: architecture)
        for call in [SystemCall.execve, .execveat, .ptrace, .mount, .bpf, .keyctl, .processVmReadv]
        {
            let number = try #require(call.number(on: architecture))
            #expect(interpreter.judge(number, on: architecture) == .refused(EPERM))
        }
        let read: UInt32 = architecture == .x86 ? 0 : 63
        #expect(interpreter.judge(read, on: architecture) == .allowed)
    }

    @Test func anotherArchitecturesNumbersAreRefused() {
        let interpreter = interpreter(on: .x86)
        #expect(interpreter.judge(0, on: .arm) == .refused(EPERM))
        #expect(interpreter.judge(0x4000_0000, on: .x86) == .refused(EPERM))
        #expect(interpreter.judge(0x3FFF_FFFF, on: .x86) == .allowed)
    }

    @Test(arguments: Architecture.allCases)
    func socketsAreOfTheFamiliesThatAreNeeded(architecture: Architecture) throws {
        let socket = try #require(SystemCall.socket.number(on: architecture))
        let bot = interpreter(on: architecture)
        for family: UInt32 in [2, 10, 16] {
            #expect(bot.judge(socket, on: architecture, arguments: [family]) == .allowed)
        }
        for family: UInt32 in [1, 17, 38, 40] {
            #expect(bot.judge(socket, on: architecture, arguments: [family]) == .refused(EPERM))
        }
        let finisher = interpreter(on: architecture, families: [])
        #expect(finisher.judge(socket, on: architecture, arguments: [2]) == .refused(EPERM))
    }

    @Test(arguments: Architecture.allCases)
    func threadsMayBeStartedAndProcessesNot(architecture: Architecture) throws {
        let clone = try #require(SystemCall.clone.number(on: architecture))
        let clone3 = try #require(SystemCall.clone3.number(on: architecture))
        let interpreter = interpreter(on: architecture)
        // glibc's arguments for a thread, and for a process.
        #expect(interpreter.judge(clone, on: architecture, arguments: [0x3D_0F00]) == .allowed)
        #expect(
            interpreter.judge(clone, on: architecture, arguments: [0x0120_0011])
                == .refused(EPERM))
        #expect(interpreter.judge(clone3, on: architecture) == .refused(ENOSYS))
    }

    @Test(arguments: Architecture.allCases)
    func signalsAndLimitsAreForItself(architecture: Architecture) throws {
        let kill = try #require(SystemCall.kill.number(on: architecture))
        let limit = try #require(SystemCall.prlimit64.number(on: architecture))
        let priority = try #require(SystemCall.setpriority.number(on: architecture))
        let interpreter = interpreter(on: architecture)
        #expect(interpreter.judge(kill, on: architecture, arguments: [Self.own]) == .allowed)
        #expect(interpreter.judge(kill, on: architecture, arguments: [1]) == .refused(EPERM))
        #expect(interpreter.judge(kill, on: architecture, arguments: [0]) == .refused(EPERM))
        #expect(interpreter.judge(limit, on: architecture, arguments: [0]) == .allowed)
        #expect(interpreter.judge(limit, on: architecture, arguments: [1]) == .refused(EPERM))
        #expect(interpreter.judge(priority, on: architecture, arguments: [0, 0]) == .allowed)
        #expect(
            interpreter.judge(priority, on: architecture, arguments: [2, 0]) == .refused(EPERM))
        #expect(
            interpreter.judge(priority, on: architecture, arguments: [0, 1]) == .refused(EPERM))
    }

    @Test func numbersAreThoseOfTheHeaders() throws {
        let architecture = try #require(Architecture.current)
        #expect(SystemCall.execve.number(on: architecture) == UInt32(SYS_execve))
        #expect(SystemCall.ptrace.number(on: architecture) == UInt32(SYS_ptrace))
        #expect(SystemCall.socket.number(on: architecture) == UInt32(SYS_socket))
        #expect(SystemCall.clone.number(on: architecture) == UInt32(SYS_clone))
        #expect(SystemCall.bpf.number(on: architecture) == UInt32(SYS_bpf))
        #expect(SystemCall.mount.number(on: architecture) == UInt32(SYS_mount))
        #expect(SystemCall.kill.number(on: architecture) == UInt32(SYS_kill))
        #expect(SystemCall.prlimit64.number(on: architecture) == UInt32(SYS_prlimit64))
    }
}
