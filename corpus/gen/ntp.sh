#!/usr/bin/env bash
# Records NTP: chrony as the server, ntpdig as the client, without a MAC and with two kinds.
. "$(dirname "$0")/record.sh"
need chronyd chrony
need ntpdig ntpsec-ntpdig

cd "$recording"
cat >conf <<END
local stratum 5
allow 127.0.0.1
keyfile $recording/keys
pidfile $recording/pid
cmdport 0
bindcmdaddress /
END
printf '1 MD5 ASCII:gallerykey\n2 SHA1 HEX:0123456789abcdef0123456789abcdef01234567\n' >keys
printf '1 MD5 gallerykey\n2 SHA1 0123456789abcdef0123456789abcdef01234567\n' >client-keys
chmod 600 keys

record
# -x: it leaves the clock of the machine alone.
chronyd -x -d -u root -f "$recording/conf" >server 2>&1 &
listening 123
for _ in 1 2 3; do
  ntpdig -t 2 127.0.0.1 >/dev/null
  ntpdig -t 2 -k client-keys -a 1 127.0.0.1 >/dev/null || true
  ntpdig -t 2 -k client-keys -a 2 127.0.0.1 >/dev/null || true
done
stop_recording
