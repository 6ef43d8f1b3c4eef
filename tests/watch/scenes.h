/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words to write plays with: pods, lines of a watch, lists, and the paths of what is asked for.
 */
#ifndef BERTH_TESTS_WATCH_SCENES_H
#define BERTH_TESTS_WATCH_SCENES_H

#include "watch/play.h"

#define POD(name, version)                                                       \
	"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name \
	"\",\"namespace\":\"d\",\"resourceVersion\":\"" version "\"},\"spec\":{}}"
#define LINE(type, object)      "{\"type\":\"" type "\",\"object\":" object "}\n"
#define ADDED(name, version)    LINE("ADDED", POD(name, version))
#define MODIFIED(name, version) LINE("MODIFIED", POD(name, version))
#define DELETED(name, version)  LINE("DELETED", POD(name, version))
#define BOOKMARK(version) \
	LINE("BOOKMARK", "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"" version "\"}}")
#define INITIAL_END(version)                                                     \
	LINE("BOOKMARK",                                                         \
		"{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"" version \
		"\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
#define STATUS(code, reason, message)                                                        \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," \
	"\"message\":\"" message "\",\"reason\":\"" reason "\",\"code\":" #code "}"
#define ERROR_LINE(code, reason, message) LINE("ERROR", STATUS(code, reason, message))
#define LIST(version, more, items)                                                     \
	"{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"" version "\"" more \
	"},\"items\":[" items "]}"
#define STREAM          "/api/v1/pods? sendInitialEvents=true"
#define PAGE            "/api/v1/pods? limit=500 !watch= !continue="
#define FOLLOW(version) "/api/v1/pods? watch=true resourceVersion=" version " !sendInitialEvents"
#define NO_STREAM                                                            \
	{                                                                    \
		STREAM, PLAY_ANSWER, STATUS(422, "Invalid", "no"), 422, NULL \
	}
#define STREAM_A_5                                                            \
	{                                                                     \
		STREAM, PLAY_WATCH, ADDED("a", "3") INITIAL_END("5"), 0, NULL \
	}

#endif
