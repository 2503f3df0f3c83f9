import CUsrSCTP
import MediaKernel
import Synchronization

/// The process-wide usrsctp: its settings, its clock and its lock.
///
/// usrsctp has no threads of its own here. Every call into it is made inside `locked`, and its
/// callbacks run synchronously inside such a call, so their data needs no other guard.
enum SCTPStack {
    /// The longest step of the clock. A longer pause between ticks (a suspended machine) counts as
    /// this, so that packets in flight are not considered lost.
    private static let stepMaximum = Duration.milliseconds(250)
    private static let stepMinimum = Duration.milliseconds(5)

    private struct Shared {
        var isStarted = false
        var lastTick: Instant?
        var uptime = Duration.zero
        var nextHandle: UInt = 1
    }

    private static let shared = Mutex(Shared())

    // Unsafe because callbacks read it, which run inside `locked` without access to its state.
    // Never accessed outside `locked`.
    nonisolated(unsafe) private static var associations: [UInt: SCTPAssociation] = [:]

    /// Runs `body` with exclusive access to usrsctp. Starts usrsctp at the first call.
    static func locked<Value: Sendable>(
        _ body: () throws(DataChannelError) -> Value
    ) throws(DataChannelError) -> Value {
        try shared.withLock { state throws(DataChannelError) in
            start(&state)
            return try body()
        }
    }

    // MARK: Time

    /// Runs usrsctp's timers up to `now`. A backward step counts as zero.
    static func tick(at now: Instant) {
        shared.withLock { state in
            guard let last = state.lastTick, now >= last, now - last <= stepMaximum else {
                let isPause = state.lastTick.map { now > $0 } ?? false
                state.lastTick = now
                if isPause { advance(&state, by: stepMaximum.milliseconds) }
                return
            }
            // The clock is process-wide, and every owner of a transport ticks.
            guard now - last >= stepMinimum else { return }
            // Keep the rest below a millisecond for the next tick.
            let elapsed = (now - last).milliseconds
            state.lastTick = last + .milliseconds(elapsed)
            advance(&state, by: elapsed)
        }
    }

    private static func advance(_ state: inout Shared, by milliseconds: Int64) {
        state.uptime += .milliseconds(milliseconds)
        if state.isStarted { usrsctp_handle_timers(UInt32(milliseconds)) }
    }

    /// The sum of all ticks.
    static var uptime: Duration { shared.withLock { $0.uptime } }

    // MARK: Associations. Call all of these inside `locked`, or from a callback.

    /// Registers a number that stands for the association wherever usrsctp wants an address. Not a
    /// pointer: late timers and packets of a closed association then find nothing, and the cookie,
    /// which contains the "address", reveals nothing about our memory.
    static func register(_ association: SCTPAssociation, as handle: UInt) {
        associations[handle] = association
        usrsctp_register_address(UnsafeMutableRawPointer(bitPattern: handle))
    }

    static func deregister(_ handle: UInt) {
        usrsctp_deregister_address(UnsafeMutableRawPointer(bitPattern: handle))
        associations[handle] = nil
    }

    static func association(_ handle: UnsafeMutableRawPointer?) -> SCTPAssociation? {
        associations[UInt(bitPattern: handle)]
    }

    // MARK: Questions from outside

    static func makeHandle() -> UInt {
        shared.withLock { state in
            defer { state.nextHandle += 1 }
            return state.nextHandle
        }
    }

    static var associationCount: Int { shared.withLock { _ in associations.count } }

    // MARK: Settings

    private static func start(_ state: inout Shared) {
        if state.isStarted { return }
        state.isStarted = true
        // The output callback runs with usrsctp's own locks held: copy and return.
        usrsctp_init_nothreads(
            0,
            { handle, bytes, count, _, _ in
                SCTPStack.association(handle)?.transmit(
                    UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            }, nil)
        // Unused here, and each is code that a peer could reach.
        usrsctp_sysctl_set_sctp_ecn_enable(0)
        usrsctp_sysctl_set_sctp_asconf_enable(0)
        usrsctp_sysctl_set_sctp_auto_asconf(0)
        usrsctp_sysctl_set_sctp_auth_enable(0)
        // No ABORT for packets without an association: they are late packets of a closed one.
        usrsctp_sysctl_set_sctp_blackhole(2)
        // usrsctp's defaults are for the telephone network of 2000: a lost packet at the start
        // would cost a second. All in milliseconds except the last three.
        usrsctp_sysctl_set_sctp_rto_initial_default(500)
        usrsctp_sysctl_set_sctp_rto_min_default(200)
        usrsctp_sysctl_set_sctp_rto_max_default(5000)
        usrsctp_sysctl_set_sctp_init_rto_max_default(5000)
        usrsctp_sysctl_set_sctp_delayed_sack_time_default(20)
        usrsctp_sysctl_set_sctp_heartbeat_interval_default(10_000)
        // Keep the association while the peer may return, within about a minute. Browsers do not
        // give up either, so an association closed here would stay open there and silent. ICE
        // detects the peer's absence, and the data waiting for it is limited.
        usrsctp_sysctl_set_sctp_assoc_rtx_max_default(200)
        usrsctp_sysctl_set_sctp_path_rtx_max_default(200)
        usrsctp_sysctl_set_sctp_max_burst_default(10)
        usrsctp_sysctl_set_sctp_initial_cwnd(10)
        usrsctp_sysctl_set_sctp_max_chunks_on_queue(10_240)
        usrsctp_sysctl_set_sctp_nr_outgoing_streams_default(UInt32(SCTPAssociation.streamCount))
    }
}
