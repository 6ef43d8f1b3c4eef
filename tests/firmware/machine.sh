# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tests/firmware/boot: a machine in qemu with a disk of its own, and the cluster it schedules.
#
#	cluster                   starts the bundled apiserver on the loopback address
#	disk NAME                 a copy of the board's image: $work/NAME.img
#	put NAME FILE TARGET      a file onto its partition
#	power_on NAME [OPTION...] starts it; its console goes to $work/NAME.console
#	shows NAME SECONDS REGEX  waits for a line on the console
#	tell COMMAND              to qemu's monitor
#	netdev=WORDS power_on ... more about its network, as -netdev user has it
#	power_off
#	cut=N power_on ...        the power is about to go at its write N + 1, see is_cut

pids=
machine=
cleanup() {
	power_off
	for pid in $pids; do kill "$pid" 2>/dev/null; done
	rm -rf "$work"
}

cluster() {
	build/x86_64/apisim --port 0 --kubeconfig-out "$work/kubeconfig.host" --life --hurry 10 --nodes 3 "$@" >"$work/apisim.log" 2>&1 &
	pids="$pids $!"
	for _ in $(seq 50); do
		[ ! -s "$work/kubeconfig.host" ] || break
		sleep 0.1
	done
	# qemu's network has this machine's loopback address at 10.0.2.2; the certificate knows 127.0.0.1.
	sed -e 's|https://127.0.0.1|https://10.0.2.2|' -e 's|^    server:|    tls-server-name: 127.0.0.1\n    server:|' \
		"$work/kubeconfig.host" >"$work/kubeconfig"
}

# On a machine that is busy an emulated PC is so slow that its kernel takes its timer for broken.
disk() {
	cp --sparse=always "$image" "$work/$1.img"
	[ "$board" != x86_64 ] || append_to_kernel "$1" no_timer_check
}
put() { mcopy -o -i "$work/$1.img@@1M" "$2" "::$3"; }
append_to_kernel() { # append_to_kernel NAME WORDS: to the command line of both slots
	for slot in a b; do
		mcopy -n -i "$work/$1.img@@1M" "::loader/entries/berth-$slot.conf" "$work/entry"
		sed -i "s|^options .*|& $2|" "$work/entry"
		put "$1" "$work/entry" "loader/entries/berth-$slot.conf"
		rm "$work/entry"
	done
}

# Firmware variables stay with the disk, as in a real machine.
power_on() {
	powered=$1 # not a name that claim() has
	shift
	console=$work/$powered.console
	: >"$console"
	rm -f "$work/monitor"
	mkfifo "$work/monitor"
	network="-netdev user,id=net0${netdev:+,$netdev}"
	[ -z "${cut:-}" ] || cut_after "$cut"
	drive="-drive file=${cut:+blkdebug:$work/cut.conf:}$work/$powered.img,format=raw,if=none,id=disk0,werror=stop${readonly:+,readonly=on}"
	case $board in
	x86_64)
		firmware=/usr/share/OVMF/OVMF_CODE_4M.fd variables=/usr/share/OVMF/OVMF_VARS_4M.fd
		set -- qemu-system-x86_64 -M q35 -cpu max -device virtio-blk-pci,drive=disk0 -device virtio-net-pci,netdev=net0,id=card0,romfile= \
			-device i6300esb "$@"
		;;
	rpi4)
		firmware=/usr/share/AAVMF/AAVMF_CODE.fd variables=/usr/share/AAVMF/AAVMF_VARS.fd
		set -- qemu-system-aarch64 -M virt -cpu cortex-a72 -device virtio-blk-pci,drive=disk0 -device virtio-net-pci,netdev=net0,id=card0,romfile= "$@"
		;;
	gateway-armv7)
		firmware=/usr/share/AAVMF/AAVMF32_CODE.fd variables=/usr/share/AAVMF/AAVMF32_VARS.fd
		set -- qemu-system-arm -M virt,highmem=off -cpu cortex-a15 -device virtio-blk-device,drive=disk0 -device virtio-net-device,netdev=net0,id=card0 "$@"
		;;
	*) echo "tests/firmware/boot: no machine for board $board" >&2; exit 1 ;;
	esac
	[ -f "$work/$powered.variables" ] || cp "$variables" "$work/$powered.variables"
	# shellcheck disable=SC2086  # lists
	nice -n "${NICE:-10}" "$@" -m 512 -display none -no-reboot $network $drive -serial "file:$console" -monitor stdio \
		-drive "if=pflash,format=raw,readonly=on,file=$firmware" -drive "if=pflash,format=raw,file=$work/$powered.variables" \
		<"$work/monitor" >"$work/$powered.qemu" 2>&1 &
	machine=$!
	exec 7>"$work/monitor"
}
tell() { echo "$1" >&7; }

# ---- the power goes at a write ----
# cut_after N: qemu counts writes to the disk; the one after N fails, and the machine stands still before its kernel learns of it.
cut_after() {
	{
		for write in $(seq "$1"); do printf '[set-state]\nevent = "write_aio"\nstate = "%d"\nnew_state = "%d"\n' "$write" $((write + 1)); done
		printf '[inject-error]\nevent = "write_aio"\nstate = "%d"\nerrno = "5"\niotype = "write"\n' $(($1 + 1))
	} >"$work/cut.conf"
}
is_cut() {
	tell 'info status'
	sleep 0.5
	grep -aq 'paused (io-error)' "$work/$powered.qemu"
}
# writes_so_far: to the disk, since the machine was started
writes_so_far() {
	tell 'info blockstats'
	sleep 1
	tr -d '\r' <"$work/$powered.qemu" | grep -a '^disk0' | tail -n 1 | sed 's/.*wr_operations=\([0-9]*\).*/\1/'
}
power_off() {
	[ -n "$machine" ] || return 0
	kill -9 "$machine" 2>/dev/null
	wait "$machine" 2>/dev/null
	exec 7>&-
	machine=
}

# lines NAME REGEX: how many lines of the console are so
lines() { tr -d '\r' <"$work/$1.console" | grep -acE -- "$2"; }
shows() {
	for _ in $(seq $(($2 * 5))); do
		[ "$(lines "$1" "$3")" -ge "${4:-1}" ] && return 0
		kill -0 "$machine" 2>/dev/null || break
		sleep 0.2
	done
	echo "no line '$3' on the console within $2 s:"
	tail -n 25 "$work/$1.console"
	return 1
}
# The seconds of the kernel's clock at the first line that is so.
second_of() { tr -d '\r' <"$work/$1.console" | grep -aE -- "$2" | head -n 1 | sed 's/^\[\([0-9.]*\)\].*/\1/'; }

# ---- updates ----
# signer NAME: a key, and its public half
signer() {
	openssl ecparam -genkey -name prime256v1 -noout -out "$work/$1.key" 2>/dev/null
	openssl ec -in "$work/$1.key" -pubout -out "$work/$1.pem" 2>/dev/null
}
# from_disk NAME FILE: what stands in a file of its partition
from_disk() { mcopy -n -i "$work/$1.img@@1M" "::$2" - 2>/dev/null | tr -d '\0'; }
