#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The TCP buffer files of /proc/sys/sunrpc: what may be written, where it counts,
# and that the directory's other files are still there. Runs as root on any
# kernel with the files and needs no NFS. The machine's values are written back
# at the end, whatever the end is.

readonly DIR=/proc/sys/sunrpc
readonly MAX=1073741823		# INT_MAX / 2
readonly NOBODY=65534
readonly KSFT_FAIL=1 KSFT_SKIP=4
# The files, and after a colon the value of net.core that bounds each.
readonly FILES="tcp_rcvbuf:rmem_max tcp_sndbuf:wmem_max tcp_notsent_lowat:
	tcp_clnt_rcvbuf:rmem_max tcp_clnt_sndbuf:wmem_max"
# What sunrpc has without the series: always, and with CONFIG_SUNRPC_DEBUG.
readonly STOCK="max_resvport min_resvport tcp_fin_timeout
	tcp_max_slot_table_entries tcp_slot_table_entries
	udp_slot_table_entries"
readonly STOCK_DEBUG="nfs_debug nfsd_debug nlm_debug rpc_debug transports"

# Each case is a function; these take the name of a file ...
readonly FILE_CASES="starts_as_its_default reads_back keeps_the_old_value
	takes_the_maximum is_apart_in_namespaces obeys_root_of_a_user_namespace
	refuses_other_users"
# ... these the name of a file that is bounded, and by what ...
readonly BOUND_CASES="names_the_hosts_limit"
# ... and these look at the directory.
readonly DIRECTORY_CASES="stock_files_are_there stock_files_in_a_namespace"

reason=		# why the last case failed or was skipped
holder=		# process that keeps a network namespace
quiet=		# nobody but us made the kernel log a value of late
before=		# lines of a path and the value that it had

skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $1"
	exit $KSFT_SKIP
}

fail()
{
	reason=$*
	return $KSFT_FAIL
}

skip()
{
	reason=$*
	return $KSFT_SKIP
}

# Write $2 to $1, a path; prints the error. The program and not the shell's own
# printf, as dash does not name the errno.
put()
{
	{ LC_ALL=C env printf '%s\n' "$2" >"$1"; } 2>&1
}

# Write $2 to $1, which must take it, and show it.
set_to()
{
	said=$(put "$1" "$2") || fail "writing $2: $said" || return
	shows "$1" "$2" "after it was written"
}

# $1 must show $2; $3 says when.
shows()
{
	value=$(cat "$1")
	[ "$value" = "$2" ] || fail "it is $value instead of $2 $3"
}

# File $1 of the holder's namespace must show $2; $3 says when.
holder_shows()
{
	value=$(nsenter --net="/proc/$holder/ns/net" cat "$DIR/$1")
	[ "$value" = "$2" ] || fail "a namespace has $value, not $2, $3"
}

# A process in a new network namespace; it lives until let_go.
hold_namespace()
{
	unshare --net sleep 600 &
	holder=$!
	own=$(readlink /proc/self/ns/net)
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(readlink "/proc/$holder/ns/net")" != "$own" ] && return
		sleep 0.1
	done
	let_go
	skip "unshare --net makes no namespace"
}

let_go()
{
	[ -z "$holder" ] || kill "$holder" 2>/dev/null
	holder=
}

as_nobody()
{
	setpriv --reuid $NOBODY --regid $NOBODY --clear-groups "$@"
}

# What a new network namespace has for file $1.
default_of()
{
	case $1 in
	tcp_notsent_lowat) echo 131072 ;;
	*) echo 0 ;;
	esac
}

# The machine's own may have been set by anybody: ask a new namespace.
starts_as_its_default()
{
	value=$(unshare --net cat "$DIR/$1" 2>&1)
	[ "$value" = "$(default_of "$1")" ] ||
		fail "a new namespace starts with $value, not $(default_of "$1")"
}

reads_back()
{
	for wanted in 1 4096 65536 0; do
		set_to "$DIR/$1" $wanted || return
	done
}

keeps_the_old_value()
{
	set_to "$DIR/$1" 65536 || return
	for bad in "" " " a abc12 12abc 1.5 - -1 -4096 -2147483648 \
		   1073741824 2147483647 2147483648 4294967295 4294967296 \
		   4294967297 18446744073709551615 18446744073709551617 \
		   99999999999999999999999; do
		if said=$(put "$DIR/$1" "$bad"); then
			fail "'$bad' was taken"
			return
		fi
		case $said in
		*"Invalid argument"*) ;;
		*) fail "'$bad': $said, which is not EINVAL" || return ;;
		esac
		shows "$DIR/$1" 65536 "after '$bad'" || return
	done
}

takes_the_maximum()
{
	set_to "$DIR/$1" $MAX
}

# More than the host allows, net.core.$2, is kept, and the kernel's log says
# what to raise.
names_the_hosts_limit()
{
	most=$(cat "/proc/sys/net/core/$2")
	[ "$most" -lt $MAX ] || skip "net.core.$2 is $most" || return
	mark="tcpbuf_sysctl: $1 of $$"
	echo "$mark" 2>/dev/null >/dev/kmsg || skip "no /dev/kmsg" || return
	dmesg | grep -q "$mark" || skip "no dmesg" || return
	# It says so at most ten times in five seconds, and we ask less often.
	[ -n "$quiet" ] || sleep 6
	quiet=yes
	set_to "$DIR/$1" "$most" || return
	if dmesg | sed "1,/$mark/d" | grep -q "$1"; then
		fail "the log has a word on $most, which net.core.$2 allows"
		return
	fi
	set_to "$DIR/$1" $((most + 1)) || return
	dmesg | sed "1,/$mark/d" | grep "$1" | grep -q "net\.core\.$2" ||
		fail "the log does not name net.core.$2"
}

is_apart_in_namespaces()
{
	set_to "$DIR/$1" 8192 || return
	hold_namespace || return
	holder_shows "$1" "$(default_of "$1")" "when it is new" || return
	nsenter --net="/proc/$holder/ns/net" sh -c "echo 4096 >$DIR/$1"
	holder_shows "$1" 4096 "after it was written there" || return
	shows "$DIR/$1" 8192 "after a namespace wrote its own" || return
	starts_as_its_default "$1" || return
	set_to "$DIR/$1" 16384 || return
	holder_shows "$1" 4096 "after another namespace wrote its own"
}

# Somebody who is root in a user namespace only.
obeys_root_of_a_user_namespace()
{
	as_nobody unshare --user --map-root-user --net true 2>/dev/null ||
		skip "no user namespaces for users" || return
	set_to "$DIR/$1" 8192 || return
	value=$(as_nobody unshare --user --map-root-user --net \
		sh -c "echo 4096 >$DIR/$1; cat $DIR/$1" 2>&1)
	[ "$value" = 4096 ] || fail "in its own namespace: $value" || return
	shows "$DIR/$1" 8192 "after a user namespace wrote its own" || return
	if as_nobody unshare --user --map-root-user \
		sh -c "echo 4096 >$DIR/$1" 2>/dev/null; then
		fail "root of a user namespace wrote the machine's"
		return
	fi
	shows "$DIR/$1" 8192 "after a user namespace tried to write it"
}

refuses_other_users()
{
	as_nobody true 2>/dev/null || skip "no setpriv" || return
	set_to "$DIR/$1" 8192 || return
	if as_nobody sh -c "echo 4096 >$DIR/$1" 2>/dev/null; then
		fail "a user without rights may write it"
		return
	fi
	shows "$DIR/$1" 8192 "after a user tried to write it"
}

# What the running kernel should have besides FILES.
stock_files()
{
	echo "$STOCK"
	if grep -q " rpc_register_sysctl\>" /proc/kallsyms; then
		echo "$STOCK_DEBUG"
	fi
}

stock_files_are_there()
{
	for name in $(stock_files); do
		cat $DIR/"$name" >/dev/null || fail "no $name" || return
	done
}

stock_files_in_a_namespace()
{
	there=$(unshare --net ls $DIR)
	for name in $(stock_files) $FILES; do
		echo "$there" | grep -qx "${name%:*}" || fail "no $name" || return
	done
}

# Run the case $2 with the arguments that follow, report it as number $1.
report()
{
	which=$1
	shift
	reason=
	"$@"
	case $? in
	0) echo "ok $which $*" ;;
	"$KSFT_SKIP") echo "ok $which $* # SKIP $reason" ;;
	*)
		echo "# $*: $reason"
		echo "not ok $which $*"
		failures=$((failures + 1))
		;;
	esac
	let_go
}

restore()
{
	let_go
	printf '%s' "$before" | while read -r path value; do
		echo "$value" >"$path"
	done
}

# How many words there are.
count()
{
	echo $#
}

# Each word is a case; run it with the arguments that follow.
run_all()
{
	cases=$1
	shift
	for case in $cases; do
		number=$((number + 1))
		report $number "$case" "$@"
	done
}

[ "$(id -u)" = 0 ] || skip_all "only root may write the files"
[ -d $DIR ] || modprobe -q sunrpc
for row in $FILES; do
	path=$DIR/${row%:*}
	[ -e "$path" ] || skip_all "no $path: kernel without the series"
	before="$before$path $(cat "$path")
"
done
trap restore EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

bounds=$(echo "$FILES" | tr -s ' \t' '\n' | grep -c ':.')
# shellcheck disable=SC2086 # lists of words
total=$(($(count $FILES) * $(count $FILE_CASES) +
	 bounds * $(count $BOUND_CASES) + $(count $DIRECTORY_CASES)))
echo "TAP version 13"
echo "1..$total"
number=0
failures=0
for row in $FILES; do
	file=${row%:*} bound=${row#*:}
	run_all "$FILE_CASES" "$file"
	[ -z "$bound" ] || run_all "$BOUND_CASES" "$file" "$bound"
done
run_all "$DIRECTORY_CASES"
[ $failures -eq 0 ]
