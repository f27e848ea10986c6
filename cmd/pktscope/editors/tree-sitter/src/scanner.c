// Which line ends mean something: where the grammar may use one, unless `)`, `]` or `else` follow the empty lines and
// comments after it.
#include "tree_sitter/parser.h"

#include <string.h>

enum { LINE_END, NEVER };

// What is read ahead of a line end, in characters: without a bound, a file of comments alone would be read once a line.
enum { LOOK = 4096 };

void *tree_sitter_pks_external_scanner_create(void) { return NULL; }
void tree_sitter_pks_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_pks_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload, (void)buffer;
  return 0;
}
void tree_sitter_pks_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload, (void)buffer, (void)length;
}

static bool space(int32_t c) { return c == ' ' || c == '\t' || c == '\r'; }

// skip_lines passes empty lines and comments, and reports whether it has come to anything else. A slash alone is no comment.
static bool skip_lines(TSLexer *lexer) {
  bool comment = false;
  for (int n = 0; n < LOOK && !lexer->eof(lexer); n++) {
    if (lexer->lookahead == '\n') {
      comment = false;
    } else if (!comment && lexer->lookahead == '/') {
      lexer->advance(lexer, false);
      if (lexer->lookahead != '/') return false;
      comment = true;
    } else if (!comment && !space(lexer->lookahead)) {
      return true;
    }
    lexer->advance(lexer, false);
  }
  return false;
}

// follows reports whether the next word is this one.
static bool follows(TSLexer *lexer, const char *word) {
  for (; *word; word++) {
    if (lexer->lookahead != *word) return false;
    lexer->advance(lexer, false);
  }
  int32_t c = lexer->lookahead;
  return !(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

bool tree_sitter_pks_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (!valid[LINE_END]) return false;
  while (space(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->lookahead != '\n') return false;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  lexer->result_symbol = LINE_END;
  if (valid[NEVER] || !skip_lines(lexer)) return true;
  return lexer->lookahead != ')' && lexer->lookahead != ']' && !follows(lexer, "else");
}
