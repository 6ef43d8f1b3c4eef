/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events.
 *
 * What kube-scheduler does with a note of more than 1024 bytes: it keeps 1020, wherever that is in
 * a character, and appends " ...". It also takes the note for a format: a '%' in it comes out as
 * "%!x(MISSING)".
 *
 * What we do: the same cut, but between characters, and counting what will be written. Half a
 * character becomes U+FFFD on the way, which is longer, and an apiserver that finds 1025 bytes
 * drops the event. A '%' stays a '%': only an extender can bring one in, and people who read its
 * message want to read it.
 */
#include "bind/body.h"

#include "base/chars.h"
#include "json/json.h"
#include "kube/time.h"

/* ---- names ---- */

static bool is_label(struct text t)
{
	if (t.size == 0 || t.at[0] == '-' || t.at[t.size - 1] == '-')
		return false;
	for (size_t i = 0; i < t.size; i++)
		if (!char_is_lower(t.at[i]) && !char_is_digit(t.at[i]) && t.at[i] != '-')
			return false;
	return true;
}

/* RFC 1123, lower case, as Kubernetes asks of most names; the size is the caller's buffer's. */
static bool is_subdomain(struct text t)
{
	struct text label;
	while (text_cut(&t, '.', &label))
		if (!is_label(label))
			return false;
	return true;
}

static void write_hex(struct writer *out, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	char text[16];
	size_t at = sizeof(text);
	do {
		text[--at] = digits[value & 15];
		value >>= 4;
	} while (value > 0);
	write_bytes(out, text + at, sizeof(text) - at);
}

/* RFC 9562, version 4. */
static void write_uuid(struct writer *out, const uint8_t random[BODY_RANDOM])
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < BODY_RANDOM; i++) {
		uint8_t byte = random[i];
		if (i == 4 || i == 6 || i == 8 || i == 10)
			write_char(out, '-');
		if (i == 6)
			byte = (uint8_t)((byte & 0x0f) | 0x40);
		if (i == 8)
			byte = (uint8_t)((byte & 0x3f) | 0x80);
		write_char(out, digits[byte >> 4]);
		write_char(out, digits[byte & 15]);
	}
}

void body_event_name(struct text regarding, uint64_t nanos, const uint8_t random[BODY_RANDOM],
	struct writer *out)
{
	char bytes[BODY_EVENT_NAME_MAX];
	struct writer name;
	writer_init(&name, bytes, sizeof(bytes));
	write_text(&name, regarding);
	write_char(&name, '.');
	write_hex(&name, nanos);
	if (!name.overflowed && is_subdomain(writer_text(&name)))
		write_text(out, writer_text(&name));
	else
		write_uuid(out, random);
}

/* ---- notes ---- */

/* Bytes of the longest start of `note` that is written with at most `max` bytes. */
static size_t note_fits(struct text note, size_t max)
{
	size_t used = 0, written = 0;
	while (used < note.size) {
		size_t size = text_utf8_next(text_from(note, used));
		written += size == 0 ? 3 : size; /* U+FFFD has three */
		if (written > max)
			break;
		used += size == 0 ? 1 : size;
	}
	return used;
}

static void write_note(struct json_writer *j, const char *key, struct text note)
{
	static const char more[] = " ...";
	char bytes[BODY_NOTE_MAX];
	struct writer cut;
	if (note_fits(note, BODY_NOTE_MAX) < note.size) {
		writer_init(&cut, bytes, sizeof(bytes));
		write_text(
			&cut, text_first(note, note_fits(note, BODY_NOTE_MAX - sizeof(more) + 1)));
		write_z(&cut, more);
		CHECK(!cut.overflowed);
		note = writer_text(&cut);
	}
	json_member_text(j, key, note);
}

void body_note_scheduled(const struct body_pod *pod, struct text node, struct writer *out)
{
	write_z(out, "Successfully assigned ");
	write_text(out, pod->namespace);
	write_char(out, '/');
	write_text(out, pod->name);
	write_z(out, " to ");
	write_text(out, node);
}

void body_note_preempted(
	struct text preemptor_uid, struct text node, bool in_memory, struct writer *out)
{
	write_z(out, "Preempted by pod ");
	write_text(out, preemptor_uid);
	write_z(out, " on node ");
	write_text(out, node);
	if (in_memory)
		write_z(out, " (in kube-scheduler memory).");
}

/* ---- bodies ---- */

static void write_some(struct json_writer *j, const char *key, struct text value)
{
	if (value.size > 0)
		json_member_text(j, key, value);
}

static void write_null(struct json_writer *j, const char *key)
{
	json_key(j, key);
	json_put_null(j);
}

static void write_time(struct json_writer *j, const char *key, struct wall time, bool micro)
{
	char bytes[KUBE_TIME_SIZE];
	struct writer out;
	writer_init(&out, bytes, sizeof(bytes));
	if (micro)
		kube_time_print_micro(time, &out);
	else
		kube_time_print(time, &out);
	CHECK(!out.overflowed);
	json_member_text(j, key, writer_text(&out));
}

static void write_reference(
	struct json_writer *j, const char *key, const struct body_reference *reference)
{
	json_member_object(j, key);
	write_some(j, "apiVersion", reference->api_version);
	write_some(j, "kind", reference->kind);
	write_some(j, "name", reference->name);
	write_some(j, "namespace", reference->namespace);
	write_some(j, "resourceVersion", reference->resource_version);
	write_some(j, "uid", reference->uid);
	json_close_object(j);
}

struct text body_event_namespace(const struct body_reference *regarding)
{
	return regarding->namespace.size > 0 ? regarding->namespace : TEXT("default");
}

static void write_metadata(struct json_writer *j, const struct body_event *event)
{
	json_member_object(j, "metadata");
	json_member_text(j, "name", event->name);
	json_member_text(j, "namespace", body_event_namespace(&event->regarding));
	json_close_object(j);
}

void body_event(const struct body_event *event, struct writer *out)
{
	struct json_writer j;
	CHECK(event->name.size > 0);
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_text(&j, "action", event->action);
	json_member_z(&j, "apiVersion", "events.k8s.io/v1");
	write_null(&j, "deprecatedFirstTimestamp");
	write_null(&j, "deprecatedLastTimestamp");
	json_member_object(&j, "deprecatedSource");
	json_close_object(&j);
	write_time(&j, "eventTime", event->time, true);
	json_member_z(&j, "kind", "Event");
	write_metadata(&j, event);
	write_note(&j, "note", event->note);
	json_member_text(&j, "reason", event->reason);
	write_reference(&j, "regarding", &event->regarding);
	json_member_text(&j, "reportingController", event->reporting_controller);
	json_member_text(&j, "reportingInstance", event->reporting_instance);
	json_member_text(&j, "type", event->type);
	json_close_object(&j);
}

void body_core_event(const struct body_event *event, struct writer *out)
{
	struct json_writer j;
	CHECK(event->name.size > 0);
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_z(&j, "apiVersion", "v1");
	json_member_i64(&j, "count", 1);
	write_null(&j, "eventTime");
	write_time(&j, "firstTimestamp", event->time, false);
	write_reference(&j, "involvedObject", &event->regarding);
	json_member_z(&j, "kind", "Event");
	write_time(&j, "lastTimestamp", event->time, false);
	write_note(&j, "message", event->note);
	write_metadata(&j, event);
	json_member_text(&j, "reason", event->reason);
	json_member_text(&j, "reportingComponent", event->reporting_controller);
	json_member_z(&j, "reportingInstance", "");
	json_member_object(&j, "source");
	write_some(&j, "component", event->reporting_controller);
	json_close_object(&j);
	json_member_text(&j, "type", event->type);
	json_close_object(&j);
}

void body_event_series(uint32_t count, struct wall last_observed, struct writer *out)
{
	struct json_writer j;
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_object(&j, "series");
	json_member_i64(&j, "count", count);
	write_time(&j, "lastObservedTime", last_observed, true);
	json_close_object(&j);
	json_close_object(&j);
}
