import COpenSSL
import CSRTP

/// The state that a cipher instance keeps between libsrtp's calls.
struct CipherState {
    /// The context of `keyed`, cached because each packet needs it.
    private(set) var context: OpaquePointer?
    let tagBytes: Int32
    /// The salt as a counter block with two zero bytes at the end; only if the cipher mixes it in
    /// itself.
    var salt: (UInt64, UInt64) = (0, 0)
    private var keyed: KeyedContext?

    /// Makes an instance for libsrtp, which returns it to `free`.
    static func make(
        _ type: UnsafeMutablePointer<srtp_cipher_type_t>, keyLength: Int32, tagLength: Int32,
        into cipher: UnsafeMutablePointer<srtp_cipher_pointer_t?>
    ) -> srtp_err_status_t {
        let state = PermanentMemory.value(CipherState(tagBytes: tagLength))
        cipher.pointee = PermanentMemory.value(
            srtp_cipher_t(
                type: type, state: state, key_len: keyLength, algorithm: Int32(type.pointee.id)))
        return srtp_err_status_ok
    }

    private init(tagBytes: Int32) { self.tagBytes = tagBytes }

    static let free: srtp_cipher_dealloc_func_t = { cipher in
        guard let cipher else { return srtp_err_status_bad_param }
        let state = at(cipher.pointee.state)
        state.pointee.salt = (0, 0)
        state.deinitialize(count: 1)
        state.deallocate()
        cipher.deallocate()
        return srtp_err_status_ok
    }

    /// - Parameter pointer: an instance's state from `make`.
    static func at(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CipherState> {
        pointer.unsafelyUnwrapped.assumingMemoryBound(to: CipherState.self)
    }

    /// Sets the key, once for each instance.
    mutating func begin(
        _ kind: KeyedContext.Kind, _ algorithm: OpaquePointer?, key: UnsafePointer<UInt8>,
        keyBytes: Int
    ) -> srtp_err_status_t {
        let key = UnsafeRawBufferPointer(start: key, count: keyBytes)
        keyed = KeyedContexts.context(kind, key: key) {
            guard let context = EVP_CIPHER_CTX_new() else { return nil }
            let keyed = KeyedContext(context, kind: kind, key: key, free: EVP_CIPHER_CTX_free)
            let bytes = key.assumingMemoryBound(to: UInt8.self).baseAddress
            return EVP_EncryptInit_ex(context, algorithm, nil, bytes, nil) == 1 ? keyed : nil
        }
        context = keyed?.pointer
        return keyed == nil ? srtp_err_status_init_fail : srtp_err_status_ok
    }
}
