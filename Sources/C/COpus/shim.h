#pragma once
#include <opus/opus.h>

// opus_encoder_ctl is variadic and the OPUS_SET_* requests are function-like macros.

static inline int opus_shim_set_bitrate(OpusEncoder *encoder, opus_int32 bitsPerSecond) {
    return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bitsPerSecond));
}

static inline int opus_shim_set_inband_fec(OpusEncoder *encoder, opus_int32 isOn) {
    return opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(isOn));
}

static inline int opus_shim_set_expected_loss(OpusEncoder *encoder, opus_int32 percent) {
    return opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
}

static inline int opus_shim_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
    return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}

static inline int opus_shim_get_lookahead(OpusEncoder *encoder, opus_int32 *samples) {
    return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(samples));
}
