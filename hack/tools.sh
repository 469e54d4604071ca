# Sourced by the scripts that build the tools of the tests. Tools come from the Go
# module proxy at fixed versions and stay in .cache/tools/bin.
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.cache/tools
mkdir -p "$tools/bin" "$tools/src"

# tool NAME VERSION PACKAGE MODULE [go build flags]: in a module of its own, so that what
# it needs stays out of ours. Extra lines of that go.mod come by standard input.
tool() {
	local name=$1 version=$2 package=$3 module=$4
	shift 4
	local stamp=$tools/bin/.$name-$version extra
	extra=$(cat)
	[ -e "$stamp" ] && [ -x "$tools/bin/$name" ] && return
	echo "building $name $version" >&2
	local dir=$tools/src/$name
	rm -rf "$dir"
	mkdir -p "$dir"
	printf 'module tool\n\ngo 1.26\n\n%s\n' "$extra" >"$dir/go.mod"
	(cd "$dir" && export GOFLAGS=-mod=mod && go get "$module@$version" && go build -trimpath -ldflags "-s -w" -o "$tools/bin/$name" "$@" "$package") >&2
	rm -f "$tools/bin/.$name-"*
	touch "$stamp"
}
