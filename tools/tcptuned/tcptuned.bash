# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# bash completion for tcptuned(8)

# The peers that a running daemon knows.
_tcptuned_peers() {
	tcptuned status --json 2>/dev/null |
		sed -n 's/.*"peer":[[:space:]]*"\([^"]*\)".*/\1/p'
}

_tcptuned_words() {
	COMPREPLY=()
	while IFS= read -r word; do
		COMPREPLY+=("$word")
	done < <(compgen -W "$1" -- "$2")
}

_tcptuned() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
	local command="" word
	local commands="status explain doctor compute restore resume check-config"
	local dirs="--runtime-dir --state-dir --help"

	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case " $commands " in
		*" $word "*) command=$word ;;
		esac
	done
	case $previous in
	--runtime-dir | --state-dir)
		compopt -o dirnames
		return ;;
	-c | --config)
		compopt -o default
		return ;;
	--color)
		_tcptuned_words "auto always never" "$current"
		return ;;
	--rtt | --interval | --bandwidth)
		return ;;
	esac
	case $command in
	"") _tcptuned_words "$commands $dirs --once --dry-run --config
		--interval --verbose --version" "$current" ;;
	status) _tcptuned_words "--all --json --watch --color $dirs" "$current" ;;
	doctor) _tcptuned_words "--all --config --bandwidth $dirs" "$current" ;;
	compute) _tcptuned_words "--rtt --bandwidth --json $dirs" "$current" ;;
	explain) _tcptuned_words "$(_tcptuned_peers) $dirs" "$current" ;;
	check-config)
		_tcptuned_words "--config $dirs" "$current"
		compopt -o default ;;
	*) _tcptuned_words "$dirs" "$current" ;;
	esac
}

complete -F _tcptuned tcptuned
