" Schemas of pktscope (.pks).
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax keyword pksDeclaration protocol import order port max datagram fields steps const param open enum flags struct
syntax keyword pksDeclaration packet message flow by state expect each once
syntax keyword pksControl if else switch within let require align reserved check default in has until while empty
syntax keyword pksType bool bool8 uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 float64 dnsname bits sbits
syntax keyword pksType below varint zigzag int float vec2 vec3 vec4 quat smallest3 string wstring cstring char bytes
syntax keyword pksType relative sealed
syntax keyword pksChecksum crc crc8_smbus crc8_dvb_s2 crc8_maxim_dow crc8_sae_j1850 crc8_autosar crc8_bluetooth
syntax keyword pksChecksum crc8_rohc crc8_i_432_1 crc8_nrsc_5 crc8_wcdma crc8_darc crc16_arc crc16_modbus crc16_usb
syntax keyword pksChecksum crc16_maxim_dow crc16_umts crc16_cms crc16_ibm_3740 crc16_xmodem crc16_kermit crc16_mcrf4xx
syntax keyword pksChecksum crc16_ibm_sdlc crc16_genibus crc16_gsm crc16_spi_fujitsu crc16_dnp crc16_en_13757
syntax keyword pksChecksum crc16_t10_dif crc16_teledisk crc16_profibus crc16_dect_x crc24_openpgp crc24_ble
syntax keyword pksChecksum crc24_lte_a crc24_os_9 crc24_interlaken crc32 crc32c crc32_bzip2 crc32_mpeg_2 crc32_cksum
syntax keyword pksChecksum crc32_jamcrc crc32_autosar crc32_aixm crc32_base91_d crc32_xfer crc40_gsm crc64_xz
syntax keyword pksChecksum crc64_ecma_182 crc64_go_iso crc64_we crc64_nvme crc64_redis crc64_ms sum8 lrc8 xor8 sum16
syntax keyword pksChecksum sum32 fletcher16 fletcher32 adler32 inet16
syntax keyword pksModifier le be any optional subset bitmap index sentinel finite utf8 ascii latin1 utf16 zeros prefix
syntax keyword pksModifier suffix over xor key nonce ad at id count offset total last chacha20poly1305
syntax keyword pksConstant true false rest none lsb msb bousk
syntax match pksName /\<[A-Z][A-Za-z0-9_]*\>/
syntax match pksNumber /\<\d[0-9_]*\(\.\d[0-9_]*\)\?\(ns\|us\|ms\|s\|m\|h\)\?\>/
syntax match pksNumber /\<0[xX][0-9A-Fa-f_]\+\>/
syntax match pksNumber /\<0[bB][01_]\+\>/
syntax match pksCharacter /'\(\\.\|[^'\\]\)'/
syntax match pksAnnotation /@[a-z_]\w*/
syntax region pksString start=/"/ skip=/\\./ end=/"\|$/
syntax match pksComment /\/\/.*$/ contains=@Spell
syntax match pksDoc /\/\/\/.*$/ contains=@Spell

highlight default link pksDeclaration Structure
highlight default link pksControl Statement
highlight default link pksType Type
highlight default link pksChecksum Function
highlight default link pksModifier StorageClass
highlight default link pksConstant Constant
highlight default link pksName Identifier
highlight default link pksNumber Number
highlight default link pksCharacter Character
highlight default link pksAnnotation PreProc
highlight default link pksString String
highlight default link pksComment Comment
highlight default link pksDoc SpecialComment
let b:current_syntax = "pks"
