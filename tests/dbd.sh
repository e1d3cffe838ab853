# shellcheck shell=sh disable=SC2034,SC2154 # what is given and taken
# A slurmdbd with a MariaDB of its own: what a sandbox needs to keep accounts.
# Sourced after tap.sh by the tests that want it; sets $port and $dbd, and
# $accounts, options of stfm-sandbox start (words).

PATH=$PATH:/usr/sbin:/sbin
dbd=$tap_dir/dbd
mkdir -m 700 "$dbd" "$dbd/data" || exit 99
user=$(id -un)

# Started without a table of users, in a second.  Limits of associations are
# found by a stored procedure, which needs a table.  slurmdbd would create its
# database after a connection that fails; MariaDB's library 11.8.9 then refuses
# every answer on that connection, as it takes 0 for the most columns.
mysql="mariadbd --no-defaults --user=$user --datadir=$dbd/data
	--innodb-use-native-aio=0 --innodb-log-file-size=8M
	--innodb-flush-log-at-trx-commit=0"
{
	printf '%s;\n' 'CREATE DATABASE slurm_acct_db' \
		'CREATE DATABASE mysql' 'USE mysql'
	grep -hE '^CREATE TABLE IF NOT EXISTS (proc|procs_priv) ' \
		/usr/share/m[ya]*/*system_tables.sql
} >"$dbd/bootstrap"
# shellcheck disable=SC2086 # words
$mysql --bootstrap <"$dbd/bootstrap" >"$dbd/sql.log" 2>&1
# shellcheck disable=SC2086 # words
$mysql --skip-grant-tables --skip-networking --socket="$dbd/sql" \
	--pid-file="$dbd/sql.pid" >"$dbd/sql.log" 2>&1 &
mariadb=$!
slurmdbd=
at_exit "kill -KILL $mariadb \$slurmdbd; wait"

# slurmdbd runs before the sandbox and its munged do, so it has another munged.
dd if=/dev/urandom of="$dbd/key" bs=128 count=1 2>/dev/null
chmod 600 "$dbd/key"
munged --foreground --force --key-file="$dbd/key" --socket="$dbd/munge" \
	--pid-file="$dbd/munge.pid" --log-file="$dbd/munge.log" \
	--seed-file="$dbd/seed" >"$dbd/munged.log" 2>&1 &
munged=$!
at_exit "kill $munged"

configure() {
	cat >"$dbd/slurmdbd.conf" <<-EOF
		DbdHost=localhost
		DbdAddr=127.0.0.1
		DbdPort=$1
		SlurmUser=$user
		AuthInfo=socket=$dbd/munge
		StorageType=accounting_storage/mysql
		StorageHost=localhost
		StorageUser=root
		PidFile=$dbd/slurmdbd.pid
	EOF
	chmod 600 "$dbd/slurmdbd.conf"
	cat >"$dbd/slurm.conf" <<-EOF
		ClusterName=sandbox
		SlurmctldHost=localhost
		SlurmUser=$user
		AuthInfo=socket=$dbd/munge
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=127.0.0.1
		AccountingStoragePort=$1
		AccountingStoragePass=$dbd/munge
	EOF
}
# Outside the ports of connections and of sandboxes.
choose_port() {
	port=$((10000 + ($$ + ${port:-0}) % 9000))
	configure "$port"
}
start_slurmdbd() {
	SLURM_CONF=$dbd/slurm.conf MYSQL_UNIX_PORT=$dbd/sql \
		slurmdbd -D >"$dbd/log" 2>&1 &
	slurmdbd=$!
}
answers() {
	if grep -q 'already in use' "$dbd/log"; then
		choose_port
		start_slurmdbd
	fi
	SLURM_CONF=$dbd/slurm.conf sacctmgr -n list cluster
}
if ! poll 20 test -S "$dbd/sql" || ! poll 20 test -S "$dbd/munge"; then
	tap_tell <"$dbd/sql.log"
	exit 99
fi
choose_port
start_slurmdbd
if ! poll 20 answers; then
	tap_tell <"$dbd/log"
	exit 99
fi

accounts="-o AccountingStorageType=accounting_storage/slurmdbd
	-o AccountingStorageHost=127.0.0.1 -o AccountingStoragePort=$port
	-o AccountingStoragePass=$dbd/munge"
