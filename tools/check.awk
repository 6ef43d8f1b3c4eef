# SPDX-License-Identifier: GPL-2.0-only
# The rules of tools/check that read C: awk -f tools/check.awk -v rule=NAME FILE...  Findings are `file:line: text`.

function say(text) { print FILENAME ":" FNR ": " text }

# The line without comments and with empty string and character constants.
function code_of(line,    out, i, c, two) {
	out = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		two = substr(line, i, 2)
		if (in_comment) {
			if (two == "*/") { in_comment = 0; i++ }
		} else if (two == "/*") {
			in_comment = 1; i++
		} else if (two == "//") {
			break
		} else if (c == "\"" || c == "'") {
			out = out c
			for (i++; i <= length(line) && substr(line, i, 1) != c; i++)
				if (substr(line, i, 1) == "\\") i++
			out = out c
		} else {
			out = out c
		}
	}
	return out
}

# Columns the line takes, tabs to the next multiple of 8; bytes that continue a UTF-8 character take none.
function columns_of(line,    i, c, n) {
	n = 0
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\t") n += 8 - n % 8
		else if (c < "\200" || c > "\277") n++
	}
	return n
}

function calls(text, name) { return text ~ "(^|[^A-Za-z0-9_.>])" name "[ \t]*\\(" }

# src/base/arena.h -> base; src/main.c -> main
function folder_of(path,    part) {
	split(path, part, "/")
	if (part[3] == "") { sub(/\.[ch]$/, "", part[2]) }
	return part[2]
}

# The name of the function whose definition begins in this line, or "".
function defined_in(text) {
	if (text !~ /^[a-z].*[ *][a-z_0-9]+\(/ || text ~ /;[ \t]*$/ || text ~ /^typedef/) return ""
	gsub(/PRINTF_LIKE\([^)]*\)/, "", text)
	sub(/\(.*/, "", text)
	sub(/.*[ *]/, "", text)
	return text
}

# Names that a list of exceptions has at the beginning of its lines.
function read_names(path, to,    line) {
	while ((getline line < path) > 0)
		if (line !~ /^#/) { sub(/[ \t].*/, "", line); to[line] = 1 }
}

BEGIN {
	if (rule == "uncalled") read_names("tools/uncalled", excepted)
	banned = "strcpy strcat sprintf vsprintf gets strtok strtok_r atoi atol atoll atof assert alloca localtime gmtime " \
		"localtime_r ctime asctime setjmp longjmp rand srand system popen"
	n_banned = split(banned, banned_name, " ")
	n_heap = split("malloc calloc realloc free strdup strndup asprintf", heap_name, " ")
	if (rule == "layer" || rule == "vendor-header")
		while ((getline line < "tools/layers") > 0)
			if (line !~ /^#/ && line ~ /:/) {
				name = substr(line, 1, index(line, ":") - 1)
				below[name] = substr(line, index(line, ":") + 1) " "
			}
}

FNR == 1 { in_comment = 0; start = 0 }

rule == "columns" && columns_of($0) > 100 { say(columns_of($0) " columns") }

rule == "file-length" && FNR == 801 { say("more than 800 lines") }

rule == "function-length" {
	if ($0 ~ /^[A-Za-z_].*\(/) name = $0
	if ($0 ~ /^\{/) start = FNR
	if ($0 ~ /^\}/) {
		if (start && FNR - start > 70) say((FNR - start) " lines: " substr(name, 1, 60))
		start = 0
	}
}

rule == "banned-call" {
	text = code_of($0)
	for (i = 1; i <= n_banned; i++)
		if (calls(text, banned_name[i])) say(banned_name[i] "()")
	if (FILENAME !~ /^src\/net\// && calls(text, "getaddrinfo")) say("getaddrinfo() outside net/")
	if (FILENAME !~ /^src\/(base|yaml)\/memory[a-z_]*\.[ch]$/)
		for (i = 1; i <= n_heap; i++)
			if (calls(text, heap_name[i])) say(heap_name[i] "() outside base/memory and yaml/memory")
}

rule == "typedef" {
	text = code_of($0)
	# Function types may have a name: a table of functions reads better with it.
	if (text ~ /(^|[^A-Za-z0-9_])typedef([^A-Za-z0-9_]|$)/ && text !~ /\(/) say("a typedef")
	if (text ~ /^(struct|enum|union)[ \t]+[a-z0-9_]+_t([^A-Za-z0-9_]|$)/) say("a name ending in _t")
}

(rule == "layer" || rule == "vendor-header" || rule == "includes") && /^[ \t]*#[ \t]*include[ \t]/ {
	header = $0
	sub(/^[^"<]*["<]/, "", header)
	sub(/[">].*$/, "", header)
	if (rule == "includes") { print header; next }
	folder = folder_of(FILENAME)
	if (rule == "vendor-header") {
		for (name in below)
			if (name ~ /[.\/]/ && index(header, name) == 1 && index(below[name], " " folder " ") == 0)
				say("<" header "> seen from " folder)
		next
	}
	if ($0 !~ /"/ || header !~ /\//) next
	split(header, part, "/")
	if (!(folder in below)) say("the folder " folder " has no line in tools/layers")
	else if (part[1] != folder && part[1] in below && index(below[folder], " " part[1] " ") == 0)
		say(folder " includes \"" header "\"")
}

# A static function's name is used in one file only. A prototype before the definition is the same file.
rule == "static-name" && /^static / {
	text = code_of($0)
	sub(/;[ \t]*$/, "", text)
	name = defined_in(text)
	if (name == "") next
	if (name in home && home[name] != FILENAME) say(name "() is also in " home[name])
	home[name] = FILENAME
}

# Words of code, but for those of a definition's own first line and of prototypes in headers.
rule == "uncalled" {
	text = code_of($0)
	name = FILENAME ~ /\.c$/ && text !~ /^static/ ? defined_in(text) : ""
	if (name != "") where[name] = FILENAME ":" FNR
	if (FILENAME ~ /\.h$/ && text !~ /^[\t#]/) next
	while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
		word = substr(text, RSTART, RLENGTH)
		if (word != name) used[word] = 1
		text = substr(text, RSTART + RLENGTH)
	}
}
END {
	if (rule == "uncalled")
		for (name in where)
			if (!(name in used) && !(name in excepted) && name != "main")
				print where[name] ": " name "() is called by no file of src/"
}
