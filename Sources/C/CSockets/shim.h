#pragma once
#include <linux/filter.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc declares sendmmsg(2), recvmmsg(2) and their message for GNU sources only, and a module
// cannot be one.

struct roomcast_message {
    struct msghdr header;
    // Bytes of the message that were sent or received.
    unsigned int length;
};

// <netinet/in.h> declares it for GNU sources only. RFC 3542 sect. 6.
struct roomcast_ipv6_source {
    unsigned char address[16];
    unsigned int interface;
};

// Room for a control message of two bytes and one with an address.
struct roomcast_control {
    _Alignas(struct cmsghdr) unsigned char
        bytes[CMSG_SPACE(sizeof(uint16_t)) + CMSG_SPACE(sizeof(struct roomcast_ipv6_source))];
};

static inline void roomcast_append_control(
    struct msghdr *message, struct roomcast_control *control, int level, int type,
    const void *data, size_t size) {
    struct cmsghdr *header = (struct cmsghdr *)(control->bytes + message->msg_controllen);
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), data, size);
    message->msg_control = control->bytes;
    message->msg_controllen += CMSG_SPACE(size);
}

// Makes the kernel split a message into datagrams of this many bytes, the last one with the rest;
// zero for one datagram. udp(7), UDP_SEGMENT. Also sends it from one of this machine's addresses,
// of four bytes or of sixteen; zero to let the kernel choose. ip(7), IP_PKTINFO; RFC 3542.
static inline void roomcast_set_control(
    struct roomcast_message *message, struct roomcast_control *control, uint16_t segment_bytes,
    const void *source, unsigned int source_bytes) {
    message->header.msg_control = NULL;
    message->header.msg_controllen = 0;
    if (segment_bytes > 0)
        roomcast_append_control(
            &message->header, control, IPPROTO_UDP, UDP_SEGMENT, &segment_bytes,
            sizeof(segment_bytes));
    if (source_bytes == 4) {
        struct in_pktinfo info = {0};
        memcpy(&info.ipi_spec_dst, source, 4);
        roomcast_append_control(
            &message->header, control, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
    } else if (source_bytes == 16) {
        struct roomcast_ipv6_source info = {{0}, 0};
        memcpy(info.address, source, 16);
        roomcast_append_control(
            &message->header, control, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info));
    }
}

// Makes the kernel report the destination address of received messages.
static inline void roomcast_expect_control(
    struct roomcast_message *message, struct roomcast_control *control) {
    message->header.msg_control = control->bytes;
    message->header.msg_controllen = sizeof(control->bytes);
}

// Copies the destination address of a received message, and returns its length; zero if the kernel
// did not report it. ip(7), IP_PKTINFO; RFC 3542.
static inline unsigned int roomcast_arrival(
    const struct roomcast_message *message, unsigned char *address) {
    struct msghdr *header = (struct msghdr *)&message->header;
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control != NULL;
         control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
            memcpy(address, &((struct in_pktinfo *)CMSG_DATA(control))->ipi_addr, 4);
            return 4;
        }
        if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
            memcpy(address, CMSG_DATA(control), 16);
            return 16;
        }
    }
    return 0;
}

// Makes the kernel deliver every datagram for a port to one of the sockets that share it, by its
// place in the order of binding. With a place that no socket has, the kernel distributes them by
// addresses, as without this. socket(7), SO_ATTACH_REUSEPORT_CBPF. -1 with errno on failure.
static inline int roomcast_steer(int socket, uint32_t place) {
    struct sock_filter filter = BPF_STMT(BPF_RET | BPF_K, place);
    struct sock_fprog program = {.len = 1, .filter = &filter};
    return setsockopt(socket, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program));
}

// The number of messages that the kernel took; -1 with errno if it did not take the first.
static inline int roomcast_send_messages(
    int socket, struct roomcast_message *messages, unsigned int count) {
    return (int)syscall(SYS_sendmmsg, socket, messages, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// The number of received messages; -1 with errno if there was none.
static inline int roomcast_receive_messages(
    int socket, struct roomcast_message *messages, unsigned int count) {
    return (int)syscall(SYS_recvmmsg, socket, messages, count, MSG_DONTWAIT, NULL);
}
