/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel that answers every request of netlink with the next piece of the
 * input, in place of sense/nl.c: a byte with the number of bytes divided by 4,
 * then one message, to which libmnl's header is added.
 */
#ifndef TCPTUNED_FUZZ_KERNEL_H
#define TCPTUNED_FUZZ_KERNEL_H

#include <sys/mman.h>

#include "../../sense/nl.h"
#include "fuzz.h"

#define KERNEL_PAGE 4096

struct nl {
	char request[NL_REQUEST_BYTES];
};

static struct nl kernel;
static const u8 *kernel_data;
static size_t kernel_size;

int nl_open(struct nl **nlp, int bus)
{
	(void)bus;
	*nlp = &kernel;
	return 0;
}

void nl_close(struct nl *nl)
{
	(void)nl;
}

struct nlmsghdr *nl_request(struct nl *nl, u16 type, bool dump, size_t bytes)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(nl->request);

	(void)type;
	(void)dump;
	mnl_nlmsg_put_extra_header(nlh, bytes);
	return nlh;
}

/*
 * Room for a message that ends where no memory follows: what libmnl reads
 * beyond it is not seen by the sanitizers.
 */
static void *kernel_room(size_t bytes)
{
	static char *end;

	if (!end) {
		end = mmap(NULL, 2 * KERNEL_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (end == MAP_FAILED)
			abort();
		end += KERNEL_PAGE;
		if (mprotect(end, KERNEL_PAGE, PROT_NONE))
			abort();
	}
	return end - MNL_ALIGN(bytes);
}

int nl_ask(struct nl *nl, mnl_cb_t cb, void *data)
{
	size_t bytes = kernel_size ?
		       min_u64(*kernel_data * 4, kernel_size - 1) : 0;
	struct nlmsghdr *nlh = kernel_room(sizeof(*nlh) + bytes);

	(void)nl;
	*nlh = (struct nlmsghdr) {
		.nlmsg_len = sizeof(*nlh) + bytes,
		.nlmsg_type = NLMSG_MIN_TYPE,
	};
	if (kernel_size) {
		memcpy(nlh + 1, kernel_data + 1, bytes);
		kernel_data += 1 + bytes;
		kernel_size -= 1 + bytes;
	}
	return cb(nlh, data) < 0 ? -1 : 0;
}

static inline void kernel_says(const u8 *data, size_t size)
{
	kernel_data = data;
	kernel_size = size;
}

#endif /* TCPTUNED_FUZZ_KERNEL_H */
