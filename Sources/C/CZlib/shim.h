#pragma once
#include <zlib.h>

// deflateInit2 is a macro that passes the header's version on. 16 more than the largest window asks for
// the gzip format.
static inline int roomcast_gzip_init(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
                        Z_DEFAULT_STRATEGY);
}
