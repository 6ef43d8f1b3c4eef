/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cable and what is on it. The first Ethernet interface with a link is used (or the one that
 * berth.conf names), with an address by DHCP or the one of berth.conf; IPv6 is the kernel's. When
 * the link goes, the address stays until its lease ends, and when it is back DHCP asks again, for
 * it may be another network.
 */
#include "firmware/init/init.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "firmware/init/dhcp.h"

enum { CLIENT_PORT = 68, SERVER_PORT = 67, LOOK_MS = 5000, LOOK_SOON_MS = 200, ETHERNET = 1 };
/* As <linux/rtnetlink.h> has them. */
enum { NETLINK_FAMILY_ROUTE = 0, GROUP_LINK = 0x1, GROUP_IPV6_ADDRESS = 0x100 };
struct netlink_address {
	uint16_t family, padding;
	uint32_t port, groups;
};

static struct {
	const struct conf *conf;
	struct net_state state;
	struct dhcp dhcp;
	int control, link, socket;
	int64_t look_ms;
} net = {.control = -1, .link = -1, .socket = -1};

int net_link_socket(void)
{
	return net.link;
}

int net_dhcp_socket(void)
{
	return net.socket;
}

const struct net_state *net_state(void)
{
	return &net.state;
}

/* ---- the kernel's side ---- */

static struct ifreq request_for(const char *interface)
{
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	return request;
}

static void bring_up(const char *interface)
{
	struct ifreq request = request_for(interface);

	if (ioctl(net.control, SIOCGIFFLAGS, &request) != 0 || (request.ifr_flags & IFF_UP) != 0)
		return;
	request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
	(void)ioctl(net.control, SIOCSIFFLAGS, &request);
	net.look_ms = 0; /* its link may be there in a moment */
}

static bool set_ipv4(int what, const char *interface, uint32_t address)
{
	struct ifreq request = request_for(interface);
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

	memcpy(&request.ifr_addr, &in, sizeof(in));
	return ioctl(net.control, what, &request) == 0;
}

static void set_route(uint32_t gateway, char *interface)
{
	struct rtentry route;
	struct sockaddr_in to = {.sin_family = AF_INET};
	struct sockaddr_in by = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(gateway)};

	memset(&route, 0, sizeof(route));
	memcpy(&route.rt_dst, &to, sizeof(to));
	memcpy(&route.rt_genmask, &to, sizeof(to));
	memcpy(&route.rt_gateway, &by, sizeof(by));
	route.rt_flags = RTF_UP | RTF_GATEWAY;
	route.rt_dev = interface;
	if (ioctl(net.control, SIOCADDRT, &route) != 0)
		say("net: the gateway cannot be set; is it in the same network?");
}

static void write_resolvers(const uint32_t *servers, uint32_t count)
{
	char content[256];
	struct writer w;

	writer_init(&w, content, sizeof(content));
	for (uint32_t i = 0; i < count; i++)
		write_format(&w, "nameserver %u.%u.%u.%u\n", servers[i] >> 24,
			servers[i] >> 16 & 255, servers[i] >> 8 & 255, servers[i] & 255);
	if (!file_write(RESOLV_CONF, writer_text(&w), 0444, 0))
		say("net: %s cannot be written", RESOLV_CONF);
}

/* 0: none any more. */
static void take_address(enum net_origin origin, uint32_t address, uint32_t mask, uint32_t gateway)
{
	struct net_state *s = &net.state;

	if (s->address == address && s->mask == mask && s->gateway == gateway)
		return;
	/* Setting an address drops the one before with its routes. */
	if (!set_ipv4(SIOCSIFADDR, s->interface, address) ||
		(address != 0 && !set_ipv4(SIOCSIFNETMASK, s->interface, mask)))
		say("net: %s refuses its address", s->interface);
	s->address = address;
	s->mask = mask;
	s->gateway = gateway;
	s->origin = address == 0 ? NET_NOTHING : origin;
	if (address != 0 && gateway != 0)
		set_route(gateway, s->interface);
	if (address == 0)
		say("net: %s has no IPv4 address any more", s->interface);
	else
		say("net: %s has %u.%u.%u.%u", s->interface, address >> 24, address >> 16 & 255,
			address >> 8 & 255, address & 255);
}

/* ---- DHCP's messages ---- */

static void open_dhcp(void)
{
	const int on = 1;
	struct sockaddr_in all = {.sin_family = AF_INET, .sin_port = htons(CLIENT_PORT)};

	net.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (net.socket < 0)
		return;
	(void)setsockopt(net.socket, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	(void)setsockopt(net.socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (setsockopt(net.socket, SOL_SOCKET, SO_BINDTODEVICE, net.state.interface,
		    (socklen_t)strlen(net.state.interface) + 1) != 0 ||
		bind(net.socket, (struct sockaddr *)&all, sizeof(all)) != 0)
		say("net: DHCP's port cannot be had");
}

static void close_dhcp(void)
{
	if (net.socket >= 0)
		(void)close(net.socket);
	net.socket = -1;
}

static void follow_lease(void)
{
	const struct dhcp_lease *lease = &net.dhcp.lease;

	if (!net.dhcp.leased) {
		take_address(NET_DHCP, 0, 0, 0);
		return;
	}
	take_address(NET_DHCP, lease->address, lease->mask,
		net.conf->gateway != 0 ? net.conf->gateway : lease->router);
	if (net.conf->dns_count == 0)
		write_resolvers(lease->dns, lease->dns_count);
}

static void turn_dhcp(int64_t now)
{
	uint8_t message[2048];
	struct sockaddr_in all = {.sin_family = AF_INET,
		.sin_port = htons(SERVER_PORT),
		.sin_addr.s_addr = INADDR_BROADCAST};
	ssize_t n;

	while (net.socket >= 0 && (n = recv(net.socket, message, sizeof(message), 0)) > 0)
		if (dhcp_received(&net.dhcp, message, (size_t)n, now))
			follow_lease();
	if (!net.state.carrier)
		return;
	bool leased = net.dhcp.leased;
	size_t size = dhcp_turn(&net.dhcp, now, message);
	if (leased && !net.dhcp.leased)
		follow_lease();
	if (size > 0)
		(void)sendto(net.socket, message, size, MSG_DONTWAIT, (struct sockaddr *)&all,
			sizeof(all));
}

/* ---- the cable ---- */

static int64_t of_interface(const char *name, const char *what)
{
	char path[128];

	file_path(path, sizeof(path), "/sys/class/net", name, what);
	return file_number(path);
}

static void begin_dhcp(int64_t now)
{
	struct ifreq request = request_for(net.state.interface);
	uint32_t exchange = 1;

	if (net.conf->how != CONF_DHCP)
		return;
	(void)getrandom(&exchange, sizeof(exchange), GRND_NONBLOCK);
	if (net.socket < 0)
		open_dhcp();
	if (ioctl(net.control, SIOCGIFHWADDR, &request) == 0)
		dhcp_start(&net.dhcp, (const uint8_t *)request.ifr_hwaddr.sa_data,
			net.conf->hostname, exchange, now);
}

static void use_interface(const char *name, int64_t now)
{
	if (net.state.interface[0] != '\0') {
		take_address(NET_NOTHING, 0, 0, 0);
		close_dhcp();
	}
	(void)snprintf(net.state.interface, sizeof(net.state.interface), "%.15s", name);
	net.state.carrier = true;
	say("net: %s has a link", name);
	if (net.conf->how == CONF_STATIC)
		take_address(NET_STATIC, net.conf->address, net.conf->mask, net.conf->gateway);
	begin_dhcp(now);
}

/* The link of the one that is used, or another that has one. */
static void look_at_links(int64_t now)
{
	char other[16] = "";
	struct dirent *entry;
	bool carrier = false;
	DIR *folder = opendir("/sys/class/net");

	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		const char *name = entry->d_name;

		if (name[0] == '.' || strlen(name) >= sizeof(other) ||
			of_interface(name, "type") != ETHERNET ||
			(net.conf->interface[0] != '\0' && strcmp(net.conf->interface, name) != 0))
			continue;
		bring_up(name);
		if (of_interface(name, "carrier") != 1)
			continue;
		if (strcmp(name, net.state.interface) == 0)
			carrier = true;
		else if (other[0] == '\0' || strcmp(name, other) < 0)
			memcpy(other, name, strlen(name) + 1);
	}
	if (folder != NULL)
		(void)closedir(folder);
	if (carrier && !net.state.carrier) {
		say("net: %s has its link again", net.state.interface);
		net.state.carrier = true;
		begin_dhcp(now);
	} else if (!carrier && other[0] != '\0') {
		use_interface(other, now);
	} else if (!carrier && net.state.carrier) {
		say("net: %s has lost its link", net.state.interface);
		net.state.carrier = false;
	}
}

static bool has_ipv6(void)
{
	char table[4096], *line = table;

	if (file_read("/proc/net/if_inet6", table, sizeof(table)) <= 0)
		return false;
	for (; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
		unsigned scope, flags;

		line += *line == '\n';
		/* Of the whole world, and nobody else has it. */
		if (sscanf(line, "%*s %*s %*s %x %x", &scope, &flags) == 2 &&
			(scope == 0 || scope == 0x40) && (flags & 0x48) == 0)
			return true;
	}
	return false;
}

void net_open(const struct conf *conf)
{
	struct netlink_address groups = {
		.family = AF_NETLINK, .groups = GROUP_LINK | GROUP_IPV6_ADDRESS};

	net.conf = conf;
	net.control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	net.link =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_FAMILY_ROUTE);
	if (net.link >= 0)
		(void)bind(net.link, (struct sockaddr *)&groups, sizeof(groups));
	bring_up("lo");
	write_resolvers(conf->dns, conf->dns_count);
}

int64_t net_turn(int64_t now)
{
	char news[4096];
	bool had = net.state.usable;

	while (net.link >= 0 && recv(net.link, news, sizeof(news), 0) > 0)
		net.look_ms = now;
	if (now >= net.look_ms) {
		net.look_ms = now + (net.state.usable ? LOOK_MS : LOOK_SOON_MS);
		look_at_links(now);
	}
	if (net.conf->how == CONF_DHCP && net.state.interface[0] != '\0')
		turn_dhcp(now);
	bool ipv6 = has_ipv6();
	net.state.usable = net.state.address != 0 || ipv6;
	if (net.state.address == 0)
		net.state.origin = ipv6 ? NET_IPV6 : NET_NOTHING;
	if (net.state.usable && !had)
		say("net: usable");
	return net.conf->how == CONF_DHCP && net.state.carrier && net.dhcp.due_ms < net.look_ms
		? net.dhcp.due_ms
		: net.look_ms;
}
