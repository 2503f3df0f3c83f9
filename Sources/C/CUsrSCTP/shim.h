#pragma once
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <usrsctp.h>

// Flexible array members are not imported into Swift, so one setter and one reader are here.

// Requests the reset of one outgoing stream. 0 or -1 with errno.
static inline int roomcast_sctp_reset_outgoing(struct socket *socket, uint16_t stream) {
    char bytes[sizeof(struct sctp_reset_streams) + sizeof(uint16_t)];
    struct sctp_reset_streams *request = (struct sctp_reset_streams *)bytes;
    memset(bytes, 0, sizeof(bytes));
    request->srs_flags = SCTP_STREAM_RESET_OUTGOING;
    request->srs_number_streams = 1;
    request->srs_stream_list[0] = stream;
    return usrsctp_setsockopt(
        socket, IPPROTO_SCTP, SCTP_RESET_STREAMS, bytes, sizeof(bytes));
}

// The streams of a reset event; an empty list means all of them.
static inline const uint16_t *roomcast_sctp_reset_list(
    const struct sctp_stream_reset_event *event, size_t event_bytes, size_t *count) {
    size_t head = offsetof(struct sctp_stream_reset_event, strreset_stream_list);
    size_t length = event->strreset_length < event_bytes ? event->strreset_length : event_bytes;
    *count = length > head ? (length - head) / sizeof(uint16_t) : 0;
    return event->strreset_stream_list;
}
