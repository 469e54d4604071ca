# Runs a container's program from the files of its image: on a root that cannot be
# written to, as the user that the pod names, with nothing of the host but /proc.
# Arguments: the folder for the root, the image's folder, the user, then
# SOURCE:TARGET for each mount, --, NAME=VALUE for each variable, --, the program.
set -eu
root=$1 image=$2 user=$3
shift 3
mount -t tmpfs -o mode=0755 tmpfs "$root"
for from in "$image"/*; do
	to=$root/${from##*/}
	if [ -d "$from" ]; then
		cp -a "$from" "$to"
	else
		: >"$to"
		mount --bind "$from" "$to"
	fi
done
mkdir -p "$root/proc"
mount --rbind /proc "$root/proc"
while [ "$1" != -- ]; do
	mkdir -p "$root${1#*:}"
	mount --bind "${1%%:*}" "$root${1#*:}"
	shift
done
shift
mount -o remount,ro,mode=0755 "$root"
unshare=$(command -v unshare)
env=()
while [ "$1" != -- ]; do
	env+=("$1")
	shift
done
shift
exec env -i "${env[@]}" "$unshare" --user --map-user="$user" --map-group="$user" --root "$root" "$@"
