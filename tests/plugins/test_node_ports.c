/* SPDX-License-Identifier: GPL-2.0-only */
/* NodePorts: who wants which port of which address. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/questions.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "plugins/picture.h"
#include "plugins/questions.h"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static const char *verdict(const char *node)
{
	return questions_verdict(PLUGIN_NODE_PORTS, node);
}

#define TAKEN          "unschedulable: node(s) didn't have free ports for the requested pod ports"
#define PORTS(list)    "'containers':[{'name':'c','ports':[" list "]}]"
#define PORT(port)     "{'containerPort':1,'hostPort':" #port "}"
#define AT(port, more) "{'containerPort':1,'hostPort':" #port "," more "}"
#define INIT(list)     PORTS("") ",'initContainers':[{'name':'i','ports':[" list "]}]"
#define SIDECAR(list) \
	PORTS("") ",'initContainers':[{'name':'i','restartPolicy':'Always','ports':[" list "]}]"

struct row {
	const char *there; /* specs */
	const char *wanted;
	const char *verdict;
};

static const struct row rows[] = {
	{PORTS(PORT(80)), PORTS(""), "skip"},
	{PORTS(PORT(80)), PORTS("{'containerPort':80}"), "skip"},
	{PORTS(PORT(80)), PORTS(PORT(0)), "skip"},
	{PORTS(""), PORTS(PORT(80)), "fits"},
	{PORTS(PORT(80)), PORTS(PORT(81)), "fits"},
	{PORTS(PORT(80)), PORTS(PORT(80)), TAKEN},
	{PORTS(PORT(80)), PORTS(AT(80, "'protocol':'TCP'")), TAKEN},
	{PORTS(PORT(80)), PORTS(AT(80, "'protocol':'UDP'")), "fits"},
	{PORTS(AT(80, "'protocol':'SCTP'")), PORTS(AT(80, "'protocol':'SCTP'")), TAKEN},
	{PORTS(PORT(80)), PORTS(AT(80, "'hostIP':'10.0.0.1'")), TAKEN},
	{PORTS(PORT(80)), PORTS(AT(80, "'hostIP':'0.0.0.0'")), TAKEN},
	{PORTS(AT(80, "'hostIP':'10.0.0.1'")), PORTS(PORT(80)), TAKEN},
	{PORTS(AT(80, "'hostIP':'10.0.0.1'")), PORTS(AT(80, "'hostIP':'0.0.0.0'")), TAKEN},
	{PORTS(AT(80, "'hostIP':'10.0.0.1'")), PORTS(AT(80, "'hostIP':'10.0.0.1'")), TAKEN},
	{PORTS(AT(80, "'hostIP':'10.0.0.1'")), PORTS(AT(80, "'hostIP':'10.0.0.2'")), "fits"},
	{PORTS(AT(80, "'hostIP':'10.0.0.1'")), PORTS(AT(80, "'hostIP':'::'")), "fits"},
	{PORTS(AT(80, "'hostIP':'10.0.0.1'")), PORTS(AT(80, "'hostIP':'0.0.0.0','protocol':'UDP'")),
		"fits"},
	{PORTS(PORT(80) "," PORT(443)), PORTS(PORT(81) "," PORT(443)), TAKEN},
	/* Ordinary init containers are gone when the others run; sidecars are not. */
	{PORTS(PORT(80)), INIT(PORT(80)), "skip"},
	{PORTS(PORT(80)), SIDECAR(PORT(80)), TAKEN},
	{INIT(PORT(80)), PORTS(PORT(80)), "fits"},
	{SIDECAR(PORT(80)), PORTS(PORT(80)), TAKEN},
};

static void test_ports(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Node','metadata':{'name':'n'}}");
		picture_add("{'kind':'Node','metadata':{'name':'other'}}");
		picture_addf("{'kind':'Pod','metadata':{'name':'there','namespace':'x'},"
			     "'spec':{'nodeName':'n',%s}}",
			rows[i].there);
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{%s}}",
			rows[i].wanted);
		char at[32];
		snprintf(at, sizeof(at), "row %zu", i);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdict, verdict("n"), at);
		TEST_ASSERT_TRUE_MESSAGE(strncmp(verdict("other"), "unsch", 5) != 0, at);
		picture_remove(KUBE_POD, "x", "there");
		TEST_ASSERT_TRUE_MESSAGE(strncmp(verdict("n"), "unsch", 5) != 0, at);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_ports);
	return UNITY_END();
}
