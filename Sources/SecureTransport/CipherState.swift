import COpenSSL
import CSRTP

/// What an instance of a cipher keeps between libsrtp's calls.
struct CipherState {
    let context: OpaquePointer
    let tagBytes: Int32
    /// As bytes of a counter whose last two are zero; only where the cipher mixes it in itself.
    var salt: (UInt64, UInt64) = (0, 0)

    /// Makes an instance for libsrtp, which hands it back to `free`.
    static func make(
        _ type: UnsafeMutablePointer<srtp_cipher_type_t>, keyLength: Int32, tagLength: Int32,
        into cipher: UnsafeMutablePointer<srtp_cipher_pointer_t?>
    ) -> srtp_err_status_t {
        guard let context = EVP_CIPHER_CTX_new() else { return srtp_err_status_alloc_fail }
        let state = Lasting.value(CipherState(context: context, tagBytes: tagLength))
        cipher.pointee = Lasting.value(
            srtp_cipher_t(
                type: type, state: state, key_len: keyLength, algorithm: Int32(type.pointee.id)))
        return srtp_err_status_ok
    }

    static let free: srtp_cipher_dealloc_func_t = { cipher in
        guard let cipher else { return srtp_err_status_bad_param }
        let state = at(cipher.pointee.state)
        // Wipes the key.
        EVP_CIPHER_CTX_free(state.pointee.context)
        state.pointee.salt = (0, 0)
        state.deallocate()
        cipher.deallocate()
        return srtp_err_status_ok
    }

    /// - Parameter pointer: what `make` put into an instance.
    static func at(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CipherState> {
        pointer.unsafelyUnwrapped.assumingMemoryBound(to: CipherState.self)
    }
}
