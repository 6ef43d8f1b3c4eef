# SPDX-License-Identifier: GPL-2.0-only
# Turns the `// deps:` and `// libs:` lines of tests, benches and fuzzers into make variables.
/^\/\/ (deps|libs):/ {
	kind = ($2 == "deps:") ? "DEPS" : "LIBS"
	sub(/^\/\/ (deps|libs):[ \t]*/, "")
	print kind "_" FILENAME " += " $0
}
