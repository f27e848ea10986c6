// Package keys reads files of keys, as `--keys FILE` names them, and holds keys so that nothing shows them by accident:
// whatever verb or encoder meets a Key writes `(key hidden)`. Reveal alone gives the bytes.
//
// A file has one key a line, in hexadecimal digits, and `#` begins a comment:
//
//	private 60616263…                                      # key.private of the schema
//	flow 10.0.0.2:50000 10.0.0.1:40000 key 0011… 2233…     # state.key from the client to the server, and back
//
// Such a file is small and the user's own, but it is read like all else: at most MaxSize bytes, at most MaxKeys keys.
// An error names the file and the line, and quotes nothing: a word in the wrong place can be a key.
package keys
