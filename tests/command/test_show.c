/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status, pending, nodes, history: what they make of the answers in data/answers/, compared with
 * data/NAME.ok, and of answers that no berth gives.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c command/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c queue/*.c
// deps: api/*.c bind/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c update/*.c
// deps: tests/command/run.c tests/command/server.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/run.h"
#include "command/server.h"
#include "unity.h"

#define DATA "tests/command/data/"

static struct said said;
static char reply[64 << 10];

void setUp(void)
{
	terminal = (struct terminal){.width = 0};
}

void tearDown(void)
{
	serve_no_more();
}

/* The words of the line, and where the server is. */
static void say(const char *line)
{
	static char words[512];
	const char *argv[ARGUMENTS_MAX] = {"berth"};
	int argc = 1;
	char *rest = words;
	(void)snprintf(words, sizeof(words), "%s", line);
	for (char *word; (word = strsep(&rest, " ")) != NULL && argc < ARGUMENTS_MAX - 3;)
		argv[argc++] = word;
	argv[argc++] = "--server";
	argv[argc++] = server;
	run(&said, command_main, NULL, argv);
}

static void answered(const char *body, const char *line)
{
	(void)snprintf(reply, sizeof(reply), HEAD("200 OK") "%s", body);
	serve((const char *const[]){reply, NULL});
	say(line);
	serve_no_more();
}

static void asked_for(const char *path)
{
	char expected[512];
	const char *request = server_heard();
	(void)snprintf(expected, sizeof(expected), "GET %s HTTP/1.1\r\n", path);
	TEST_ASSERT_EQUAL_STRING_LEN(expected, request, strlen(expected));
}

static void shows(const char *file, const char *line, const char *path, const char *name)
{
	static char body[32 << 10], ok[256];
	(void)snprintf(ok, sizeof(ok), DATA "answers/%s.json", file);
	FILE *f = fopen(ok, "r");
	TEST_ASSERT_NOT_NULL_MESSAGE(f, ok);
	body[fread(body, 1, sizeof(body) - 1, f)] = '\0';
	(void)fclose(f);
	answered(body, line);
	(void)snprintf(ok, sizeof(ok), DATA "show-%s.ok", name);
	compare_with_file(&said, ok);
	asked_for(path);
}

static void test_status_when_asked_then_what_is_wrong_is_said(void)
{
	shows("overview", "status", "/berth/v1/overview", "status");
	shows("overview", "status -o yaml", "/berth/v1/overview", "status-yaml");
}

static void test_nodes_when_asked_then_by_name(void)
{
	shows("nodes", "nodes", "/berth/v1/nodes?q=", "nodes");
	shows("nodes", "nodes gw/1 -o wide", "/berth/v1/nodes?q=gw%2F1", "nodes-wide");
	shows("node", "nodes gw-2 --pods", "/berth/v1/nodes/gw-2", "nodes-pods");
	shows("losses", "nodes --loss", "/berth/v1/loss", "nodes-loss");
	shows("better", "nodes --better", "/berth/v1/better", "nodes-better");
	shows("loss", "nodes gw-1 --loss", "/berth/v1/nodes/gw-1/loss", "nodes-loss-of-one");
}

static void test_pending_when_asked_then_groups_or_each(void)
{
	shows("pending", "pending", "/berth/v1/pending", "pending");
	shows("pending", "pending -n shop -o json", "/berth/v1/pending", "pending-json");
	shows("pods", "pending --each", "/berth/v1/pods?limit=1000000&q=", "pending-each");
	shows("pods", "pending web", "/berth/v1/pods?limit=1000000&q=web", "pending-each");
	shows("pending", "pending -n none", "/berth/v1/pending", "pending-none");
}

static void test_history_when_asked_then_the_newest_is_last(void)
{
	static const char all[] = "/berth/v1/history/events?limit=10000&q=";
	static const char of_web[] = "/berth/v1/history/events?limit=10000&q=%2Fweb&kind=preemption"
				     "&from=1790000000000&to=1790000060500";
	shows("events", "history", all, "history");
	shows("events", "history -n shop -o wide", all, "history-wide");
	shows("events", "history -n shop -o yaml", all, "history-yaml");
	shows("events",
		"history pod/web --kind preemption --since 2026-09-21T14:13:20Z "
		"--until 2026-09-21T16:14:20.5+02:00",
		of_web, "history");
}

/* What comes behind a parameter of the request. */
static int64_t asked_since(const char *line)
{
	answered("[]", line);
	const char *request = server_heard();
	const char *from = strstr(request, "&from=");
	TEST_ASSERT_NOT_NULL(from);
	return strtoll(from + strlen("&from="), NULL, 10);
}

static void test_history_when_a_time_is_given_then_it_is_of_the_last_day(void)
{
	int64_t now = (int64_t)time(NULL) * 1000, hour = 3600 * 1000;
	int64_t since = asked_since("history --since 2h");
	TEST_ASSERT_TRUE(since >= now - 2 * hour - 1000 && since < now - hour);
	static const char *const lines[] = {
		"history --since 00:00", "history --since 03:00", "history --since 23:59"};
	static const int64_t minutes[] = {0, 180, 1439};
	for (size_t i = 0; i < 3; i++) {
		since = asked_since(lines[i]);
		TEST_ASSERT_EQUAL_INT64(minutes[i], since / 60000 % 1440);
		TEST_ASSERT_EQUAL_INT64(0, since % 60000);
		TEST_ASSERT_TRUE(since > now - 24 * hour - 60000 && since <= now + hour);
	}
	say("history --since yesterday");
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL_STRING("berth: 'yesterday' is no time: 2h, 03:00 and "
				 "2026-11-20T03:00:00Z are\n",
		said.err);
}

static void test_tables_when_on_a_terminal_then_they_fit_and_have_colours(void)
{
	terminal = (struct terminal){.colour = true, .width = 60};
	shows("pending", "pending", "/berth/v1/pending", "pending-terminal");
	shows("nodes", "nodes", "/berth/v1/nodes?q=", "nodes-terminal");
	terminal.width = 10;
	shows("nodes", "nodes", "/berth/v1/nodes?q=", "nodes-narrow");
}

static void test_nodes_when_not_ready_for_long_then_days_are_said(void)
{
	answered("[{\"name\":\"a\",\"ready\":false,\"readySinceMs\":1}]", "nodes -o wide");
	TEST_ASSERT_NOT_NULL(strstr(said.out, "a     NotReady  2")); /* 20,000 days and more */
	TEST_ASSERT_NOT_NULL(strstr(said.out, "d  -"));
}

static void test_misuse(void)
{
	say("status now");
	TEST_ASSERT_EQUAL(2, said.status);
	say("nodes --pods");
	TEST_ASSERT_EQUAL_STRING(
		"berth: --pods needs the name of a node; 'berth nodes --help' says more\n",
		said.err);
	say("nodes gw-1 --better");
	TEST_ASSERT_EQUAL(2, said.status);
	say("pending -o xml");
	TEST_ASSERT_EQUAL(2, said.status);
}

/* Whatever listens there. */
static void test_show_when_a_server_is_hostile_then_nothing_breaks(void)
{
	static const char *const lines[] = {"status", "nodes", "nodes -o wide", "nodes n --pods",
		"nodes --loss", "nodes n --loss", "nodes --better", "pending", "pending -n a",
		"pending --each", "history", "history -n a -o wide", "pending -o yaml",
		"status -o yaml", "nodes n --pods -o yaml", "pending -n a -o json"};
	static const char *const bodies[] = {"[]", "{}", "[[],{},null,1,\"a\",[{}]]",
		"[{\"name\":{},\"namespace\":[],\"states\":[1],\"taints\":{\"a\":1},\"pods\":[1,[]]"
		","
		"\"cpuMilli\":[9223372036854775807,-1],\"memory\":[-9223372036854775808,1],"
		"\"sinceS\":9223372036854775807,\"conditions\":7,\"count\":1e99}]",
		"{\"state\":[],\"cluster\":[],\"pods\":[{\"name\":7}],\"upS\":-5,\"lease\":null}",
		"{\"pods\":\"[{\",\"\":\"\",\"a\":{\"\":[[],[[]],{\"b\":[{}]}]}}",
		"[\"\\u001b[2J\\u009b\",{\"name\":\"\\u001b]0;x\\u0007\",\"state\":\"\\u0000\"}]",
		"[{\"name\":\"\xf0\x9f\x98\x80\"}]"};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++) {
			terminal.width = (uint16_t)(k * 7);
			answered(bodies[i], lines[k]);
			TEST_ASSERT_TRUE(said.status == 0 || said.status == 1);
			TEST_ASSERT_NULL(strchr(said.out, '\033'));
			TEST_ASSERT_EQUAL(said.status == 0, said.err[0] == '\0');
		}
}

int main(void)
{
	(void)unsetenv("BERTH_SERVER");
	UNITY_BEGIN();
	RUN_TEST(test_status_when_asked_then_what_is_wrong_is_said);
	RUN_TEST(test_nodes_when_asked_then_by_name);
	RUN_TEST(test_pending_when_asked_then_groups_or_each);
	RUN_TEST(test_history_when_asked_then_the_newest_is_last);
	RUN_TEST(test_history_when_a_time_is_given_then_it_is_of_the_last_day);
	RUN_TEST(test_tables_when_on_a_terminal_then_they_fit_and_have_colours);
	RUN_TEST(test_nodes_when_not_ready_for_long_then_days_are_said);
	RUN_TEST(test_misuse);
	RUN_TEST(test_show_when_a_server_is_hostile_then_nothing_breaks);
	return UNITY_END();
}
