#pragma once
#include <linux/filter.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc declares sendmmsg(2), recvmmsg(2) and their message for GNU sources only, which a module
// cannot be.

struct roomcast_message {
    struct msghdr header;
    // Bytes of it that were sent or received.
    unsigned int length;
};

// Room for one control message of two bytes.
struct roomcast_segment_control {
    _Alignas(struct cmsghdr) unsigned char bytes[CMSG_SPACE(sizeof(uint16_t))];
};

// Has the kernel cut a message's bytes into datagrams of so many, the last one of what is left;
// zero for one datagram. udp(7), UDP_SEGMENT.
static inline void roomcast_set_segment_bytes(
    struct roomcast_message *message, struct roomcast_segment_control *control, uint16_t bytes) {
    message->header.msg_control = bytes > 0 ? control->bytes : NULL;
    message->header.msg_controllen = bytes > 0 ? sizeof(control->bytes) : 0;
    if (bytes == 0) return;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message->header);
    header->cmsg_level = IPPROTO_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof(bytes));
    memcpy(CMSG_DATA(header), &bytes, sizeof(bytes));
}

// Has the kernel give every datagram for a port to one of the sockets that share it: by its place in
// the order in which they were bound. With a place that none has, they are dealt out by addresses, as
// without this. socket(7), SO_ATTACH_REUSEPORT_CBPF. -1 with errno when it does not.
static inline int roomcast_steer(int socket, uint32_t place) {
    struct sock_filter filter = BPF_STMT(BPF_RET | BPF_K, place);
    struct sock_fprog program = {.len = 1, .filter = &filter};
    return setsockopt(socket, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program));
}

// How many of the messages the kernel took; -1 with errno when it did not even take the first.
static inline int roomcast_send_messages(
    int socket, struct roomcast_message *messages, unsigned int count) {
    return (int)syscall(SYS_sendmmsg, socket, messages, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// How many messages were received; -1 with errno when none was.
static inline int roomcast_receive_messages(
    int socket, struct roomcast_message *messages, unsigned int count) {
    return (int)syscall(SYS_recvmmsg, socket, messages, count, MSG_DONTWAIT, NULL);
}
