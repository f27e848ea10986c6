protocol text
order lsb
packet { a bytes(5) == "%d\x00%s", b string(9) != "%!\\", c cstring(4) utf8
 check "%s\"\n" }
