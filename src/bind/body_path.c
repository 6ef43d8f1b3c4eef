/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths of the API.
 *
 * Names come from the apiserver and go back to it, yet a path is made of them, so they are not
 * believed: "..", or "a/binding", would ask for something else than was meant. Escaping does not
 * help there, since the apiserver looks at the path after it unescaped it. What kube-scheduler's
 * client refuses (empty, ".", "..", and '/' or '%' anywhere) is refused here too; the rest is
 * escaped as Go escapes a segment.
 */
#include "bind/body.h"

static bool is_segment(struct text t)
{
	return t.size > 0 && !text_is_z(t, ".") && !text_is_z(t, "..") &&
		text_find(t, '/') == t.size && text_find(t, '%') == t.size;
}

static bool is_plain(char c)
{
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	return letter || (c >= '0' && c <= '9') || (c != '\0' && strchr("-_.~$&+:=@", c) != NULL);
}

static void write_escaped(struct text t, struct writer *out)
{
	static const char digits[] = "0123456789ABCDEF";
	for (size_t i = 0; i < t.size; i++) {
		uint8_t byte = (uint8_t)t.at[i];
		if (is_plain(t.at[i])) {
			write_char(out, t.at[i]);
		} else {
			const char escaped[] = {'%', digits[byte >> 4], digits[byte & 15]};
			write_bytes(out, escaped, sizeof(escaped));
		}
	}
}

bool body_write_segment(struct text segment, struct writer *out)
{
	if (!is_segment(segment))
		return false;
	write_escaped(segment, out);
	return true;
}

static bool write_pod(
	struct text namespace, struct text name, const char *subresource, struct writer *out)
{
	if (!is_segment(namespace) || !is_segment(name))
		return false;
	write_z(out, "/api/v1/namespaces/");
	write_escaped(namespace, out);
	write_z(out, "/pods/");
	write_escaped(name, out);
	write_z(out, subresource);
	return true;
}

bool body_path_pod(struct text namespace, struct text name, struct writer *out)
{
	return write_pod(namespace, name, "", out);
}

bool body_path_pod_status(struct text namespace, struct text name, struct writer *out)
{
	return write_pod(namespace, name, "/status", out);
}

bool body_path_binding(struct text namespace, struct text name, struct writer *out)
{
	return write_pod(namespace, name, "/binding", out);
}

bool body_path_event(struct text namespace, struct text name, struct writer *out)
{
	bool one = name.at != NULL;
	if (!is_segment(namespace) || (one && !is_segment(name)))
		return false;
	write_z(out, "/apis/events.k8s.io/v1/namespaces/");
	write_escaped(namespace, out);
	write_z(out, "/events");
	if (one) {
		write_char(out, '/');
		write_escaped(name, out);
	}
	return true;
}

bool body_path_core_events(struct text namespace, struct writer *out)
{
	if (!is_segment(namespace))
		return false;
	write_z(out, "/api/v1/namespaces/");
	write_escaped(namespace, out);
	write_z(out, "/events");
	return true;
}
