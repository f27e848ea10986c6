package main

// helpSaved is the part of `help json` on saved results.
const helpSaved = `

Saved results

With -T json stats, budget, audit, fuzz and report write what pktscope report reads: an
object a line, of which kind its key kind says. A packet that holds a @secret is not in
them.

  stats            counts of one protocol; part is all that merging needs
  pktscope-budget  where the bits go; schema and state are all that merging needs
  rejects          why packets of captures were refused: by rule of the schema and kind of
                   reject, with the first such packet; and by capture. From report; stats
                   has it as by_rule
  audit            by rule and kind ("valid" of packets that come close and are valid) what was
                   tried, and what was answered rightly, of which misread are wrong otherwise:
                   a value, the bits, the cost; and the findings
  fuzz             by rule how many of the ways to break it were met; and the findings
  crash, hang, …   a file of fuzz --findings: kind is that of the finding

untested lists what nothing is known about: kind is a way to be refused that no packet met and
that is not proved out of reach, part is what no valid packet has, and neither is there where
no valid packet was found at all. Such a result is not a pass, but for what is known: --known
accepts it.

A place is where the schema states a rule; stable is its name where rule has a line number in
it. schema names the schema, sha256 is of its text with the values of its params. Bits count
from 0 in the datagram, null are those that tell a secret; packets are hexadecimal. cause is a finding's mistake in a sentence,
where it is known: findings of one kind and cause are one. stack is the reader's calls in the
report of a crash, the innermost first. known_mistakes are findings that --known accepts,
known_gone names those accepted that were not seen. left_out: the packets of this finding did
not fit; --findings writes them. lost is what did not fit at all. runs is how many were merged:
counts are then sums, seed and coverage those of one run. incomplete says, in a line each, what
a result is not of: a capture that was cut or not read to its end, a part that was not merged.

Their JSON Schema, of stats and pktscope-budget what is always there:

{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "oneOf": [
    {"$ref": "#/$defs/stats"}, {"$ref": "#/$defs/budget"}, {"$ref": "#/$defs/rejects"},
    {"$ref": "#/$defs/audit"}, {"$ref": "#/$defs/fuzz"}, {"$ref": "#/$defs/file"}
  ],
  "$defs": {
    "count": {"type": "integer", "minimum": 0},
    "incomplete": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "bits": {"type": ["integer", "null"], "minimum": 0},
    "hex": {"type": "string", "pattern": "^([0-9a-f]{2})*$"},
    "sender": {"enum": ["client", "server", "unknown"]},
    "schema": {
      "type": "object",
      "required": ["file", "sha256"],
      "additionalProperties": false,
      "properties": {"file": {"type": "string"}, "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}
    },
    "place": {
      "type": "object",
      "required": ["file", "line", "column"],
      "additionalProperties": false,
      "properties": {
        "file": {"type": "string"},
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
        "stable": {"type": "string"}
      }
    },
    "untested": {
      "type": "object",
      "required": ["rule", "what"],
      "additionalProperties": false,
      "properties": {
        "rule": {"type": "string"},
        "kind": {"type": "string"},
        "part": {"type": "string"},
        "what": {"type": "string"},
        "known": {"type": "boolean"},
        "place": {"$ref": "#/$defs/place"}
      }
    },
    "finding": {
      "type": "object",
      "required": ["kind", "rule", "path", "bit", "width", "done", "want", "got", "from", "bytes", "count"],
      "properties": {
        "kind": {"enum": ["crash", "hang", "accepted-malformed", "rejected-valid", "refused-elsewhere", "wrong-value",
          "wrong-bits", "not-canonical", "slow", "leak", "disagreement", "difference"]},
        "rule": {"type": "string"},
        "reject": {"type": "string"},
        "path": {"type": "string"},
        "bit": {"$ref": "#/$defs/bits"},
        "width": {"$ref": "#/$defs/bits"},
        "changed": {"type": "string"},
        "done": {"type": "string"},
        "want": {"type": "string"},
        "got": {"type": "string"},
        "cause": {"type": "string"},
        "report": {"type": "string"},
        "stack": {
          "type": "array",
          "items": {
            "type": "object",
            "additionalProperties": false,
            "properties": {"function": {"type": "string"}, "file": {"type": "string"}, "line": {"type": "integer", "minimum": 1}}
          }
        },
        "from": {"$ref": "#/$defs/sender"},
        "bytes": {"$ref": "#/$defs/count"},
        "packet": {"$ref": "#/$defs/hex"},
        "secret": {"const": true},
        "count": {"$ref": "#/$defs/count"},
        "before": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["from"],
            "properties": {"from": {"$ref": "#/$defs/sender"}, "packet": {"$ref": "#/$defs/hex"}, "secret": {"const": true}}
          }
        },
        "left_out": {"const": true},
        "undone": {"enum": ["not-tried", "not-again", "not-shortened", "not-simplified", "not-located"]},
        "replay": {"type": "string"},
        "place": {"$ref": "#/$defs/place"}
      }
    },
    "file": {
      "allOf": [{"$ref": "#/$defs/finding"}],
      "required": ["schema_version", "protocol"],
      "unevaluatedProperties": false,
      "properties": {
        "schema_version": {"const": 1},
        "tool_version": {"type": "string"},
        "protocol": {"type": "string"},
        "schema": {"$ref": "#/$defs/schema"},
        "target": {"type": "string"}
      }
    },
    "audit": {
      "type": "object",
      "required": ["schema_version", "kind", "protocol", "target", "seed", "packets", "hostile", "refused", "valid",
        "accepted", "known", "bases", "steps", "max_steps", "rules", "findings"],
      "additionalProperties": false,
      "properties": {
        "schema_version": {"const": 1},
        "kind": {"const": "audit"},
        "tool_version": {"type": "string"},
        "protocol": {"type": "string"},
        "schema": {"$ref": "#/$defs/schema"},
        "target": {"type": "string"},
        "seed": {"$ref": "#/$defs/count"},
        "runs": {"$ref": "#/$defs/count"},
        "partial": {"const": true},
        "incomplete": {"$ref": "#/$defs/incomplete"},
        "packets": {"$ref": "#/$defs/count"},
        "hostile": {"$ref": "#/$defs/count"},
        "refused": {"$ref": "#/$defs/count"},
        "valid": {"$ref": "#/$defs/count"},
        "accepted": {"$ref": "#/$defs/count"},
        "misread": {"$ref": "#/$defs/count"},
        "survived_hostile": {"$ref": "#/$defs/count"},
        "survived_valid": {"$ref": "#/$defs/count"},
        "known": {"$ref": "#/$defs/count"},
        "bases": {"$ref": "#/$defs/count"},
        "steps": {"$ref": "#/$defs/count"},
        "max_steps": {"$ref": "#/$defs/count"},
        "rules": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["rule", "kind", "tried", "right", "classes"],
            "additionalProperties": false,
            "properties": {
              "rule": {"type": "string"},
              "kind": {"type": "string"},
              "tried": {"$ref": "#/$defs/count"},
              "right": {"$ref": "#/$defs/count"},
              "survived": {"$ref": "#/$defs/count"},
              "misread": {"$ref": "#/$defs/count"},
              "sampled": {"const": true},
              "classes": {"type": "array", "items": {"type": "string"}},
              "place": {"$ref": "#/$defs/place"}
            }
          }
        },
        "findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
        "known_mistakes": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
        "known_gone": {"type": "array", "items": {"type": "string"}},
        "lost": {"$ref": "#/$defs/count"},
        "untested": {"type": "array", "items": {"$ref": "#/$defs/untested"}},
        "unreached": {"type": "array", "items": {"type": "string"}},
        "out_of_reach": {
          "type": "array",
          "items": {"type": "object", "properties": {"name": {"type": "string"}, "reason": {"type": "string"}}}
        },
        "missed": {
          "type": "array",
          "items": {"type": "object", "properties": {"boundary": {"type": "string"}, "error": {"type": "string"}}}
        },
        "unfinished": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["rule", "tried", "of"],
            "properties": {"rule": {"type": "string"}, "tried": {"$ref": "#/$defs/count"}, "of": {"$ref": "#/$defs/count"}}
          }
        }
      }
    },
    "fuzz": {
      "type": "object",
      "required": ["schema_version", "kind", "protocol", "target", "seed", "workers", "seconds", "packets", "useful",
        "corpus", "queue", "coverage", "rules", "findings"],
      "additionalProperties": false,
      "properties": {
        "schema_version": {"const": 1},
        "kind": {"const": "fuzz"},
        "tool_version": {"type": "string"},
        "protocol": {"type": "string"},
        "schema": {"$ref": "#/$defs/schema"},
        "target": {"type": "string"},
        "seed": {"$ref": "#/$defs/count"},
        "runs": {"$ref": "#/$defs/count"},
        "workers": {"$ref": "#/$defs/count"},
        "seconds": {"type": "number", "minimum": 0},
        "packets": {"$ref": "#/$defs/count"},
        "useful": {"$ref": "#/$defs/count"},
        "corpus": {"$ref": "#/$defs/count"},
        "queue": {"$ref": "#/$defs/count"},
        "coverage": {"type": "number", "minimum": 0, "maximum": 100},
        "incomplete": {"$ref": "#/$defs/incomplete"},
        "rules": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["rule", "reached", "of"],
            "additionalProperties": false,
            "properties": {"rule": {"type": "string"}, "reached": {"$ref": "#/$defs/count"}, "of": {"$ref": "#/$defs/count"}}
          }
        },
        "untested": {"type": "array", "items": {"$ref": "#/$defs/untested"}},
        "unreached": {"type": "array", "items": {"type": "string"}},
        "findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
        "known_mistakes": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
        "known_gone": {"type": "array", "items": {"type": "string"}},
        "lost": {"$ref": "#/$defs/count"}
      }
    },
    "rejects": {
      "type": "object",
      "required": ["schema_version", "kind", "protocol", "schema", "packets", "rejected", "rules", "files"],
      "additionalProperties": false,
      "properties": {
        "schema_version": {"const": 1},
        "kind": {"const": "rejects"},
        "tool_version": {"type": "string"},
        "protocol": {"type": "string"},
        "schema": {"$ref": "#/$defs/schema"},
        "incomplete": {"$ref": "#/$defs/incomplete"},
        "packets": {"$ref": "#/$defs/count"},
        "rejected": {"$ref": "#/$defs/count"},
        "rules": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["rule", "kind", "packets", "first"],
            "additionalProperties": false,
            "properties": {
              "rule": {"type": "string"},
              "kind": {"type": "string"},
              "packets": {"$ref": "#/$defs/count"},
              "place": {"$ref": "#/$defs/place"},
              "first": {
                "type": "object",
                "required": ["n", "path", "bit", "width", "want", "got", "message"],
                "additionalProperties": false,
                "properties": {
                  "file": {"type": "string"},
                  "n": {"type": "integer", "minimum": 1},
                  "time": {"type": "string", "format": "date-time"},
                  "src": {"type": "string"},
                  "dst": {"type": "string"},
                  "path": {"type": "string"},
                  "bit": {"$ref": "#/$defs/bits"},
                  "width": {"$ref": "#/$defs/bits"},
                  "want": {"type": "string"},
                  "got": {"type": "string"},
                  "message": {"type": "string"}
                }
              },
              "senders": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["sender", "packets", "n"],
                  "additionalProperties": false,
                  "properties": {
                    "sender": {"type": "string"},
                    "packets": {"$ref": "#/$defs/count"},
                    "file": {"type": "string"},
                    "n": {"type": "integer", "minimum": 1}
                  }
                }
              }
            }
          }
        },
        "more": {"$ref": "#/$defs/count"},
        "files": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["file", "packets"],
            "additionalProperties": false,
            "properties": {
              "file": {"type": "string"},
              "packets": {"$ref": "#/$defs/count"},
              "rejected": {"$ref": "#/$defs/count"},
              "cut": {"$ref": "#/$defs/count"}
            }
          }
        },
        "more_files": {"const": true}
      }
    },
    "stats": {
      "type": "object",
      "required": ["schema_version", "kind", "protocol", "seconds", "total", "directions", "cases", "sequences", "acks",
        "rejects", "notes", "peers", "series", "part"],
      "properties": {
        "schema_version": {"const": 1},
        "kind": {"const": "stats"},
        "protocol": {"type": "string"},
        "schema": {"$ref": "#/$defs/schema"},
        "incomplete": {"$ref": "#/$defs/incomplete"},
        "by_rule": {"$ref": "#/$defs/rejects"}
      }
    },
    "budget": {
      "type": "object",
      "required": ["schema_version", "kind", "protocol", "packets", "bytes", "rejected", "cut", "cases", "classes", "fields",
        "suggestions", "encodings", "over_budget", "schema", "state"],
      "properties": {
        "schema_version": {"const": 1},
        "kind": {"const": "pktscope-budget"},
        "protocol": {"type": "string"},
        "incomplete": {"$ref": "#/$defs/incomplete"}
      }
    }
  }
}`
