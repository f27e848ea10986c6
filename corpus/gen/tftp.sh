#!/usr/bin/env bash
# Records TFTP: dnsmasq as the server, atftp and busybox as clients. Reads with and without options, netascii, a file
# that is not there, a file that may not be written.
. "$(dirname "$0")/record.sh"
need dnsmasq dnsmasq-base
need atftp atftp
need busybox busybox

mkdir "$recording/root"
chmod 755 "$recording" "$recording/root"
seq 400 >"$recording/root/numbers.txt"
: >"$recording/root/empty"
head -c 1024 "$recording/root/numbers.txt" >"$recording/root/two-blocks" # an empty third block ends it
chmod 644 "$recording"/root/*

record
dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0 --user=root --pid-file= --listen-address=127.0.0.1 --bind-interfaces \
  --enable-tftp --tftp-root="$recording/root" --log-facility=- 2>/dev/null &
listening 69
cd "$recording"
atftp --get -r numbers.txt -l a 127.0.0.1
atftp --option 'blksize 1024' --option 'tsize 0' --option 'timeout 3' --get -r numbers.txt -l b 127.0.0.1
atftp --option 'mode netascii' --get -r two-blocks -l c 127.0.0.1
atftp --option 'blksize 1468' --option 'windowsize 2' --get -r empty -l d 127.0.0.1
busybox tftp -b 600 -g -r numbers.txt -l e 127.0.0.1
atftp --get -r nothing-here -l f 127.0.0.1 || true
busybox tftp -b 512 -p -l a -r written 127.0.0.1 || true
cmp a root/numbers.txt
cmp e root/numbers.txt
stop_recording
