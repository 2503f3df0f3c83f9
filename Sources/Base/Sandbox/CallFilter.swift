/// A kernel program that checks every system call: seccomp(2), classic BPF.
///
/// ```
/// load architecture; another one's calls: refuse
/// load number; numbers of x32: refuse
/// for each call that has rules:
///     is it this call? else skip what follows
///     for each rule: load its argument, compare, refuse
///     allow
/// allow
/// ```
public struct CallFilter: Hashable, Sendable {
    /// As in `linux/filter.h`.
    public struct Instruction: Hashable, Sendable {
        public var code: UInt16
        /// How many instructions to skip when a comparison holds, and when it does not.
        public var whenTrue: UInt8
        public var whenFalse: UInt8
        public var value: UInt32
    }

    public let instructions: [Instruction]

    /// `linux/bpf_common.h`; a load reads one word of `struct seccomp_data`.
    enum Code {
        static let load: UInt16 = 0x20
        static let isEqual: UInt16 = 0x15
        static let isAtLeast: UInt16 = 0x35
        static let hasBit: UInt16 = 0x45
        static let answer: UInt16 = 0x06
    }

    /// `linux/seccomp.h`.
    enum Answer {
        static let allow: UInt32 = 0x7FFF_0000
        static func refuse(_ error: Int32) -> UInt32 { 0x0005_0000 | UInt32(error) }
    }

    /// Places in `struct seccomp_data`, in bytes. Both architectures are little-endian.
    private static let numberPlace: UInt32 = 0
    private static let architecturePlace: UInt32 = 4
    private static func place(ofArgument index: Int) -> UInt32 { 16 + 8 * UInt32(index) }

    /// - Parameter error: for calls of another architecture than the program's.
    public init(_ rules: [CallRule], on architecture: Architecture, foreignError error: Int32) {
        var program: [Instruction] = [
            Self.load(Self.architecturePlace),
            Self.jump(Code.isEqual, architecture.auditNumber, whenTrue: 1),
            Self.answer(Answer.refuse(error)),
            Self.load(Self.numberPlace),
        ]
        if let foreign = architecture.foreignNumbers {
            program += [
                Self.jump(Code.isAtLeast, foreign, whenFalse: 1),
                Self.answer(Answer.refuse(error)),
            ]
        }
        var calls: [SystemCall] = []
        for rule in rules where !calls.contains(rule.call) { calls.append(rule.call) }
        for call in calls {
            guard let number = call.number(on: architecture) else { continue }
            let checks = rules.filter { $0.call == call }.flatMap(Self.check)
            let body = checks + [Self.answer(Answer.allow)]
            program.append(Self.jump(Code.isEqual, number, whenFalse: UInt8(body.count)))
            program += body
        }
        program.append(Self.answer(Answer.allow))
        instructions = program
    }

    private static func check(_ rule: CallRule) -> [Instruction] {
        let refusal = answer(Answer.refuse(rule.error))
        switch rule.condition {
        case .always:
            return [refusal]
        case .isOne(of: let values, argument: let index):
            return [load(place(ofArgument: index))]
                + values.flatMap { [jump(Code.isEqual, $0, whenFalse: 1), refusal] }
        case .isNone(of: let values, argument: let index):
            // Each comparison that holds skips the later ones and the refusal.
            let comparisons = values.indices.map {
                jump(Code.isEqual, values[$0], whenTrue: UInt8(values.count - $0))
            }
            return [load(place(ofArgument: index))] + comparisons + [refusal]
        case .lacks(let bit, argument: let index):
            return [load(place(ofArgument: index)), jump(Code.hasBit, bit, whenTrue: 1), refusal]
        }
    }

    private static func load(_ place: UInt32) -> Instruction {
        Instruction(code: Code.load, whenTrue: 0, whenFalse: 0, value: place)
    }

    private static func jump(
        _ code: UInt16, _ value: UInt32, whenTrue: UInt8 = 0, whenFalse: UInt8 = 0
    ) -> Instruction {
        Instruction(code: code, whenTrue: whenTrue, whenFalse: whenFalse, value: value)
    }

    private static func answer(_ value: UInt32) -> Instruction {
        Instruction(code: Code.answer, whenTrue: 0, whenFalse: 0, value: value)
    }
}
