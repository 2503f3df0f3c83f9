import COpenSSL
import CSRTP

/// AES-128 in counter mode by OpenSSL, as a libsrtp cipher. RFC 3711 sect. 4.1.1.
enum CounterCipher {
    private static let keyBytes = 16
    private static let saltBytes = 14

    static func replace() -> srtp_err_status_t {
        srtp_replace_cipher_type(type, srtp_cipher_type_id_t(SRTP_AES_ICM_128))
    }

    nonisolated(unsafe) private static let type = PermanentMemory.value(
        srtp_cipher_type_t(
            alloc: allocate, dealloc: CipherState.free, init: begin, set_aad: nil, encrypt: crypt,
            decrypt: crypt, set_iv: setCounter, get_tag: nil,
            description: PermanentMemory.text("AES-128 counter mode by OpenSSL"), test_data: test,
            id: srtp_cipher_type_id_t(SRTP_AES_ICM_128)))

    /// RFC 3711 appendix B.2.
    nonisolated(unsafe) private static let test = PermanentMemory.value(
        srtp_cipher_test_case_t(
            key_length_octets: Int32(keyBytes + saltBytes),
            key: PermanentMemory.bytes([
                0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF,
                0x4F, 0x3C, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB,
                0xFC, 0xFD,
            ]), idx: PermanentMemory.bytes([UInt8](repeating: 0, count: 16)),
            plaintext_length_octets: 32,
            plaintext: PermanentMemory.bytes([UInt8](repeating: 0, count: 32)),
            ciphertext_length_octets: 32,
            ciphertext: PermanentMemory.bytes([
                0xE0, 0x3E, 0xAD, 0x09, 0x35, 0xC9, 0x5E, 0x80, 0xE1, 0x66, 0xB1, 0x6D, 0xD9, 0x2B,
                0x4E, 0xB4, 0xD2, 0x35, 0x13, 0x16, 0x2B, 0x02, 0xD0, 0xF7, 0x2A, 0x43, 0xA2, 0xFE,
                0x4A, 0x5F, 0x97, 0xAB,
            ]), aad_length_octets: 0, aad: nil, tag_length_octets: 0, next_test_case: nil))

    private static let allocate: srtp_cipher_alloc_func_t = { cipher, keyLength, tagLength in
        guard let cipher, Int(keyLength) == keyBytes + saltBytes else {
            return srtp_err_status_bad_param
        }
        return CipherState.make(
            type, keyLength: keyLength, tagLength: tagLength, into: cipher)
    }

    private static let begin: srtp_cipher_init_func_t = { pointer, key in
        guard let key else { return srtp_err_status_bad_param }
        let state = CipherState.at(pointer)
        withUnsafeMutableBytes(of: &state.pointee.salt) { salt in
            salt.copyMemory(from: UnsafeRawBufferPointer(start: key + keyBytes, count: saltBytes))
        }
        return state.pointee.begin(
            .counterCipher, EVP_aes_128_ctr(), key: key, keyBytes: keyBytes)
    }

    private static let setCounter: srtp_cipher_set_iv_func_t = { pointer, nonce, _ in
        guard let nonce = UnsafeRawPointer(nonce) else { return srtp_err_status_bad_param }
        let state = CipherState.at(pointer)
        var counter = state.pointee.salt
        counter.0 ^= nonce.loadUnaligned(as: UInt64.self)
        counter.1 ^= nonce.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        let isSet = withUnsafeBytes(of: &counter) { bytes in
            EVP_EncryptInit_ex(
                state.pointee.context, nil, nil, nil,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        return isSet == 1 ? srtp_err_status_ok : srtp_err_status_cipher_fail
    }

    private static let crypt: srtp_cipher_encrypt_func_t = { pointer, bytes, count in
        guard let bytes, let count else { return srtp_err_status_bad_param }
        var written: Int32 = 0
        let isDone = EVP_EncryptUpdate(
            CipherState.at(pointer).pointee.context, bytes, &written, bytes, Int32(count.pointee))
        return isDone == 1 ? srtp_err_status_ok : srtp_err_status_cipher_fail
    }
}
