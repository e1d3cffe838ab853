#!/bin/sh
# Run tests/nfs/rounds on real NFS: a guest in QEMU, emulated in software, with
# Debian's cloud kernel, knfsd on ext4, and two mounts of it that share no
# cache, which are two clients; NFS 3 and 4.2, with the default options (but
# without the locks of NFS 3, which need one more server: stfm locks no file of
# a store with flock or fcntl; its locks are names that one program can create).
#
#	nfs.sh DIRECTORY PROGRAM
#
# Packages are fetched into the directory and unpacked there; nothing is
# installed.  Where there is no QEMU or nothing can be fetched, it says so.

packages='busybox-static nfs-kernel-server nfs-common rpcbind keyutils
libtirpc3 libevent-core-2.1-7 libnfsidmap1 libwrap0 libkeyutils1'
modules='virtio_pci virtio_blk ext4 nfsd nfs nfsv3 nfsv4'
multiarch=x86_64-linux-gnu
daemons='sbin/rpcbind usr/sbin/rpc.mountd usr/sbin/rpc.nfsd usr/sbin/exportfs
sbin/mount.nfs'

skip() {
	echo "1..0 # SKIP nfs: $1"
	exit 0
}
fail() {
	echo "nfs: $1" >&2
	exit 2
}

PATH=$PATH:/usr/sbin:/sbin
directory=$1
program=$2
[ -x "$program" ] || fail "usage: nfs.sh DIRECTORY PROGRAM"
qemu=$(command -v qemu-system-x86_64) ||
	skip "there is no qemu-system-x86_64 (package qemu-system-x86)"
[ "$(uname -m)" = x86_64 ] || skip "the guest is of x86_64"
for need in apt-get dpkg ldd mke2fs; do
	command -v $need >/dev/null || skip "there is no $need"
done
mkdir -p "$directory" && directory=$(cd "$directory" && pwd) || exit 2
root=$directory/root
guest=$directory/guest
disk=$directory/disk

# ---- what the guest is made of ----

# The package that the newest cloud kernel is in.
kernel_package() {
	apt-cache depends linux-image-cloud-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -1
}

fetch() {
	mkdir -p "$directory/packages" "$root" || return
	(
		cd "$directory/packages" || exit
		# shellcheck disable=SC2046,SC2086 # one word a package
		apt-get -q download $packages $(kernel_package)
	) >"$directory/fetch.log" 2>&1 || return
	for fetch_one in "$directory"/packages/*.deb; do
		dpkg -x "$fetch_one" "$root" || return
	done
	: >"$directory/fetched"
}

# A program of the packages, or of ours, with the libraries it needs.
add_program() {
	mkdir -p "$guest/sbin" && cp "$1" "$guest/sbin/" || return
	LD_LIBRARY_PATH=$root/usr/lib/$multiarch:$root/lib/$multiarch \
		ldd "$1" 2>/dev/null | grep -o '/[^ ]*' |
		while read -r library; do
			cp -L "$library" "$guest/lib/"
		done
	mkdir -p "$guest/lib64"
	cp -L /lib64/ld-linux-x86-64.so.2 "$guest/lib64/"
}

busybox() {
	"$root/bin/busybox" "$@"
}

add_kernel_modules() {
	version=$(basename "$root"/lib/modules/*)
	mkdir -p "$guest/lib/modules"
	busybox depmod -b "$root" "$version" || return
	# In order: each after those that it needs.
	for wanted in $modules; do
		sed -n "s|^\(.*/$wanted\.ko\): *|\1 |p" \
			"$root/lib/modules/$version/modules.dep" |
			tr ' ' '\n' | grep . | awk '{ line[NR] = $0 }
				END { while (NR > 0) print line[NR--] }'
	done | awk '!seen[$0]++' | while read -r module; do
		module=${module#"/lib/modules/$version/"}
		cp "$root/lib/modules/$version/$module" "$guest/lib/modules/"
		echo "insmod /lib/modules/${module##*/}"
	done >"$guest/modules"
}

write_init() {
	cat <<-'END'
		#!/bin/sh
		export PATH=/sbin:/bin
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		mkdir -p /tmp /run /var/lib/nfs/rpc_pipefs /export /a /b
		mount -t tmpfs tmp /tmp
		mount -t tmpfs run /run
		ln -s /run /var/run
		mkdir -p /run/rpcbind /run/sendsigs.omit.d /var/lib/nfs/sm
		. /modules 2>&1 | grep -v 'File exists'
		ip link set lo up
		mount -t ext4 /dev/vda /export || echo "Bail out! no disk"
		mount -t nfsd nfsd /proc/fs/nfsd
		touch /var/lib/nfs/etab /var/lib/nfs/rmtab
		rpcbind -w
		until [ -S /run/rpcbind.sock ]; do sleep 0.2; done
		exportfs -o rw,no_root_squash,no_subtree_check,fsid=0 \
			'*:/export'
		for port in 20048 2049; do
			until netstat -ltn | grep -q ":$port "; do
				[ $port = 2049 ] || rpc.mountd -p $port
				[ $port != 2049 ] || rpc.nfsd 8
				sleep 1
			done
		done
		round() {
			for side in a b; do
				mount.nfs "$2" "/$side" \
					-o "nosharecache,retry=0,vers=$1$3" &&
					continue
				echo "Bail out! cannot mount"
				poweroff -f
			done
			echo "# NFS $1, mounted with"
			grep ' /a ' /proc/mounts | cut -d ' ' -f 4 |
				sed 's/^/# /'
			echo "BEGIN $1"
			rounds "/a/store-$1" "/b/store-$1" 2>&1
			echo "END $1 $?"
			umount /a /b
		}
		ports=port=2049,mountport=20048
		round 3 127.0.0.1:/export \
			",nolock,proto=tcp,mountproto=tcp,$ports"
		round 4.2 127.0.0.1:/
		sync
		poweroff -f
	END
}

build_guest() {
	rm -rf "$guest" && mkdir -p "$guest/bin" "$guest/lib" "$guest/proc" \
		"$guest/sys" "$guest/dev" "$guest/etc" || return
	cp "$root/bin/busybox" "$guest/bin/" && ln -s busybox "$guest/bin/sh"
	cp "$program" "$guest/sbin.rounds" 2>/dev/null
	for daemon in $daemons; do
		[ -e "$root/$daemon" ] || daemon=usr/$daemon
		add_program "$root/$daemon" || return
	done
	rm -f "$guest/sbin.rounds"
	cp "$program" "$guest/sbin/rounds" || return
	cp "$root/etc/netconfig" "$guest/etc/" 2>/dev/null ||
		cp /etc/netconfig "$guest/etc/" 2>/dev/null ||
		write_netconfig >"$guest/etc/netconfig"
	printf 'root:x:0:0:root:/:/bin/sh\n_rpc:x:0:0::/:/bin/sh\n' \
		>"$guest/etc/passwd"
	printf '127.0.0.1 localhost\n' >"$guest/etc/hosts"
	printf '%s\n' 'sunrpc 111/tcp' 'sunrpc 111/udp' 'nfs 2049/tcp' \
		'nfs 2049/udp' >"$guest/etc/services"
	printf '%s\n' 'tcp 6 TCP' 'udp 17 UDP' >"$guest/etc/protocols"
	: >"$guest/etc/exports"
	add_kernel_modules || return
	write_init >"$guest/init" && chmod +x "$guest/init"
	(cd "$guest" && busybox find . | busybox cpio -o -H newc 2>/dev/null) |
		gzip -1 >"$directory/initrd"
	rm -f "$disk"
	mke2fs -q -F -t ext4 "$disk" 256M >"$directory/mke2fs.log" 2>&1
}

write_netconfig() {
	printf '%s\n' 'udp tpi_clts v inet udp - -' \
		'tcp tpi_cots_ord v inet tcp - -' \
		'local tpi_cots_ord - loopback - - -'
}

boot() {
	timeout -k 10 "${NFS_SECONDS:-900}" "$qemu" -machine accel=tcg \
		-cpu max -smp 2 -m 1024 -nodefaults -no-reboot -display none \
		-serial stdio -nic none \
		-kernel "$root"/boot/vmlinuz-* -initrd "$directory/initrd" \
		-append "console=ttyS0 panic=-1 quiet" \
		-drive "if=virtio,format=raw,cache=unsafe,file=$disk" \
		</dev/null >"$directory/console.log" 2>&1 &
	guest_pid=$!
	trap 'kill "$guest_pid"; exit 130' HUP INT TERM
	wait "$guest_pid"
	trap - HUP INT TERM
}

# ---- what came of it ----

report() {
	tr -d '\r' <"$directory/console.log" | awk '
	/^BEGIN / { version = $2; runs++; next }
	/^END / { if ($3 != 0) bad++; ends++; version = ""; next }
	/^Bail out/ { print; bad++ }
	/^# / { print; next }
	version == "" { next }
	/^(not )?ok / {
		sub(/ [0-9]+ - /, " - NFS " version ": ")
		print
		tests++
		if (/^not/)
			bad++
		next
	}
	!/^1\.\./ { print "#", $0 }
	END {
		if (ends != 2) {
			print "not ok - both rounds came to their ends"
			tests++
			bad++
		}
		print "1.." tests
		exit bad > 0
	}'
}

[ -e "$directory/fetched" ] || fetch ||
	skip "packages could not be fetched ($directory/fetch.log says why)"
build_guest || fail "the guest could not be built"
began=$(date +%s)
boot
echo "# $(date -u +%Y-%m-%d), of $(git describe --always --dirty)," \
	"Linux $(basename "$root"/lib/modules/*), $(($(date +%s) - began)) s"
report && exit 0
echo "# $directory/console.log has what the guest said"
exit 1
