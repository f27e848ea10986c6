// R-Type through Kaitai Struct's compiler and JavaScript reader, as one would do it:
//
//	node kaitai.js rtype.ksy CAPTURE PACKETS [facts]
//
// It compiles the description, reads the first PACKETS packets of a pcap file (Ethernet, IPv4 or IPv6, UDP) and counts those
// it refuses. With "facts" it also prints what it read, as JSON, to be held against pktscope.
'use strict'
const fs = require('fs')
const Module = require('module')
const compiler = require('kaitai-struct-compiler')
const KaitaiStream = require('kaitai-struct/KaitaiStream')
const YAML = require('yaml')

const [description, capture, wanted, withFacts] = process.argv.slice(2)

// compiled is the reader's class, from the source that the compiler makes of the description.
async function compiled() {
  const files = await compiler.compile('javascript', YAML.parse(fs.readFileSync(description, 'utf8')), null, false)
  const made = new Module(description, module)
  made.paths = module.paths
  made._compile(files['Rtype.js'], description)
  return made.exports.Rtype || made.exports
}

// ragged is whether text is no UTF-8, or has something behind its end.
const utf8 = new TextDecoder('utf-8', { fatal: true })
function ragged(text) {
  let end = text.indexOf(0)
  if (end < 0) end = text.length
  for (let i = end; i < text.length; i++) if (text[i] !== 0) return true
  try {
    utf8.decode(text.subarray(0, end))
  } catch {
    return true
  }
  return false
}

// payloads gives the UDP payloads of a pcap file that has its times in µs and its numbers in little-endian.
function* payloads(path, wanted) {
  const fd = fs.openSync(path)
  let held = Buffer.alloc(0)
  const fill = (n) => {
    if (held.length >= n) return true
    const more = Buffer.allocUnsafe(1 << 20)
    const got = fs.readSync(fd, more)
    held = Buffer.concat([held, more.subarray(0, got)])
    return held.length >= n
  }
  if (!fill(24) || held.readUInt32LE(0) !== 0xa1b2c3d4) throw new Error(path + ': no such pcap file')
  held = held.subarray(24)
  for (; wanted > 0 && fill(16); wanted--) {
    const size = held.readUInt32LE(8)
    if (!fill(16 + size)) return
    const frame = held.subarray(16, 16 + size)
    held = held.subarray(16 + size)
    const udp = frame.readUInt16BE(12) === 0x86dd ? 14 + 40 : 14 + 4 * (frame[14] & 15)
    yield frame.subarray(udp + 8, udp + frame.readUInt16BE(udp + 4))
  }
}

function add(facts, type, body) {
  facts.accepted[type] = (facts.accepted[type] || 0) + 1
  if (type === 0x40) {
    for (const list of [body.players, body.missiles, body.enemies, body.enemyMissiles]) {
      for (const e of list) {
        facts.x += e.x
        facts.y += e.y
        if (e.health !== undefined) facts.health += e.health
      }
    }
  } else if (type === 0x81) {
    facts.x += body.x
    facts.y += body.y
  }
}

async function main() {
  const Rtype = await compiled()
  const facts = { packets: 0, refused: 0, accepted: {}, x: 0, y: 0, health: 0 }
  for (const payload of payloads(capture, +wanted)) {
    facts.packets++
    let message
    try {
      if (payload.length > 1200) throw new Error('too large')
      const stream = new KaitaiStream(payload)
      message = new Rtype(stream)
      if (!stream.isEof()) throw new Error('something is left')
      if (message.type === 0x10 && ragged(message.body.roomCode)) throw new Error('text')
      if (message.type === 0x12 && ragged(message.body.reason)) throw new Error('text')
    } catch {
      facts.refused++
      continue
    }
    if (withFacts) add(facts, message.type, message.body)
  }
  console.log(JSON.stringify(facts))
}

main()
