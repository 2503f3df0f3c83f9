import COpenSSL
import CSRTP

/// HMAC-SHA1 by OpenSSL, as a libsrtp authentication function. RFC 3711 sect. 4.2.1.
enum HMACFunction {
    private struct State {
        /// The context of `keyed`, cached because each packet needs it.
        var context: OpaquePointer?
        var keyed: KeyedContext?
    }

    private static let codeBytes = 20

    static func replace() -> srtp_err_status_t {
        srtp_replace_auth_type(type, srtp_auth_type_id_t(SRTP_HMAC_SHA1))
    }

    nonisolated(unsafe) private static let algorithm = EVP_MAC_fetch(nil, "HMAC", nil)

    // A parameter points to its name and value: both must outlive the call that creates it.
    /// `OSSL_MAC_PARAM_DIGEST`.
    nonisolated(unsafe) private static let digestParameter = PermanentMemory.text("digest")
    nonisolated(unsafe) private static let digest = PermanentMemory.text("SHA1")

    nonisolated(unsafe) private static let type = PermanentMemory.value(
        srtp_auth_type_t(
            alloc: allocate, dealloc: deallocate, init: begin, compute: compute, update: update,
            start: start, description: PermanentMemory.text("HMAC-SHA1 by OpenSSL"),
            test_data: test,
            id: srtp_auth_type_id_t(SRTP_HMAC_SHA1)))

    /// RFC 2202, the first case of HMAC-SHA1.
    nonisolated(unsafe) private static let test = PermanentMemory.value(
        srtp_auth_test_case_t(
            key_length_octets: 20, key: PermanentMemory.bytes([UInt8](repeating: 0x0B, count: 20)),
            data_length_octets: 8, data: PermanentMemory.bytes([UInt8]("Hi There".utf8)),
            tag_length_octets: 20,
            tag: PermanentMemory.bytes([
                0xB6, 0x17, 0x31, 0x86, 0x55, 0x05, 0x72, 0x64, 0xE2, 0x8B, 0xC0, 0xB6, 0xFB, 0x37,
                0x8C, 0x8E, 0xF1, 0x46, 0xBE, 0x00,
            ]), next_test_case: nil))

    private static let allocate: srtp_auth_alloc_func = { code, keyLength, tagLength in
        guard let code, tagLength <= codeBytes else { return srtp_err_status_bad_param }
        code.pointee = PermanentMemory.value(
            srtp_auth_t(
                type: type, state: PermanentMemory.value(State()), out_len: tagLength,
                key_len: keyLength,
                prefix_len: 0))
        return srtp_err_status_ok
    }

    private static let deallocate: srtp_auth_dealloc_func = { code in
        guard let code else { return srtp_err_status_bad_param }
        let state = state(code.pointee.state)
        state.deinitialize(count: 1)
        state.deallocate()
        code.deallocate()
        return srtp_err_status_ok
    }

    private static let begin: srtp_auth_init_func = { pointer, key, count in
        let key = UnsafeRawBufferPointer(start: key, count: Int(count))
        let keyed = KeyedContexts.context(.hashedCode, key: key) {
            guard let context = EVP_MAC_CTX_new(algorithm) else { return nil }
            let keyed = KeyedContext(
                context, kind: .hashedCode, key: key, free: EVP_MAC_CTX_free)
            let parameters = [
                OSSL_PARAM_construct_utf8_string(
                    digestParameter, UnsafeMutablePointer(mutating: digest), 0),
                OSSL_PARAM_construct_end(),
            ]
            let bytes = key.assumingMemoryBound(to: UInt8.self).baseAddress
            return EVP_MAC_init(context, bytes, key.count, parameters) == 1 ? keyed : nil
        }
        state(pointer).pointee = State(context: keyed?.pointer, keyed: keyed)
        return keyed == nil ? srtp_err_status_init_fail : srtp_err_status_ok
    }

    /// Restarts under the same key.
    private static let start: srtp_auth_start_func = { pointer in
        EVP_MAC_init(context(pointer), nil, 0, nil) == 1
            ? srtp_err_status_ok : srtp_err_status_auth_fail
    }

    private static let update: srtp_auth_update_func = { pointer, bytes, count in
        EVP_MAC_update(context(pointer), bytes, Int(count)) == 1
            ? srtp_err_status_ok : srtp_err_status_auth_fail
    }

    private static let compute: srtp_auth_compute_func = { pointer, bytes, count, length, tag in
        guard let tag, Int(length) <= codeBytes else { return srtp_err_status_bad_param }
        let context = context(pointer)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: codeBytes) { code in
            var written = 0
            guard EVP_MAC_update(context, bytes, Int(count)) == 1,
                EVP_MAC_final(context, code.baseAddress, &written, code.count) == 1,
                let result = code.baseAddress
            else { return srtp_err_status_auth_fail }
            tag.update(from: result, count: Int(length))
            return srtp_err_status_ok
        }
    }

    private static func context(_ pointer: UnsafeMutableRawPointer?) -> OpaquePointer? {
        state(pointer).pointee.context
    }

    /// The state from `allocate`, as libsrtp passes it.
    private static func state(
        _ pointer: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<State> {
        pointer.unsafelyUnwrapped.assumingMemoryBound(to: State.self)
    }
}
