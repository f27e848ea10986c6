// The grammar of .pks for tree-sitter. Its rules have the names of the grammar at the end of `pktscope help language`, and
// their order. src/scanner.c decides which line ends separate declarations and items; all others are space.
//
// Words other than the reserved ones are names where no rule wants the word: tree-sitter's keyword extraction does that,
// so `le uint16 le` is a field le. Where a rule wants a word and a name may stand, the name has an alias here.

const list = rule => seq(rule, repeat(seq(',', rule)));

// body is a list in braces; a separator may follow the last.
const body = ($, rule) => seq('{', optional(seq(rule, repeat(seq($._separator, rule)), optional($._separator))), '}');

const named = ($, ...words) => words.map(word => alias(word, $.name));

module.exports = grammar({
  name: 'pks',
  word: $ => $.name,
  externals: $ => [$._line_end, $._never], // no rule has _never: the scanner sees by it that the parser repairs an error
  extras: $ => [/\s/, $.comment],
  supertypes: $ => [$.declaration, $.item, $.expression],

  rules: {
    source_file: $ => seq(choice($.protocol, $.declaration), repeat(seq($._line_end, $.declaration)), optional($._line_end)),

    protocol: $ => seq('protocol', field('name', $.name)), // a part of a schema has none

    comment: _ => token(seq('//', /.*/)),

    declaration: $ => choice(
      $.import, $.order, $.port, $.limit, $.constant, $.parameter, $.enumeration, $.struct, $.packet, $.message, $.flow,
      $.state, $.expectation),
    import: $ => seq('import', $.string),
    order: $ => seq('order', $.order_kind),
    order_kind: _ => choice('lsb', 'msb', 'bousk'),
    port: $ => seq('port', list($.span)),
    limit: $ => seq('max', choice('datagram', 'fields', 'steps'), $._arithmetic),
    constant: $ => seq('const', field('name', $.type_name), '=', choice($._literal, $.table)),
    table: $ => seq('switch', body($, $.row)),
    row: $ => seq(choice('default', list($.span)), ':', $._arithmetic),
    parameter: $ => seq('param', field('name', $.type_name), '=', $._arithmetic, 'in', $.span),
    enumeration: $ => seq(optional('open'), choice('enum', 'flags'), field('name', $.type_name), ':', $._integer_type, body($, $.enum_case)),
    enum_case: $ => seq(field('name', $.type_name), '=', $._arithmetic),
    struct: $ => seq('struct', field('name', $.type_name), optional(seq('(', list($.struct_parameter), ')')), optional($.order), $.body),
    struct_parameter: $ => seq(field('name', $.name), choice(seq('in', $.span), 'bool')),
    packet: $ => seq('packet', optional($.order), $.body),
    message: $ => seq('message', field('name', $.type_name), 'max', $._arithmetic, optional($.order), $.body),
    flow: $ => seq('flow', 'by', list($.path)),
    state: $ => seq('state', body($, $.register)),
    register: $ => seq(
      choice(field('name', choice($.name, ...named($, 'each'))), seq('each', field('name', $.name))),
      $._value, optional('once'), repeat($.annotation)),
    expectation: $ => seq('expect', field('name', $.name), $.duration),

    body: $ => body($, $.item),
    item: $ => choice($.if, $.within, $.let, $.register_write, $.require, $.align, $.reserved, $.check, $.field),
    if: $ => seq('if', field('condition', $.expression), $.body, optional($.else)),
    else: $ => seq('else', choice($.body, $.if)),
    within: $ => seq('within', '(', $.expression, optional(choice('bits', 'zeros')), ')', $.body),
    let: $ => seq('let', field('name', choice($.name, ...named($, 'state'))), optional(seq('in', $.span)), '=', $.expression, repeat($.annotation)),
    register_write: $ => seq('let', 'state', choice(seq('.', $.path, '=', $.expression), seq('=', 'none'))),
    require: $ => seq('require', $.expression),
    align: $ => seq('align', optional(seq('(', $._arithmetic, ')')), optional('any')),
    reserved: $ => seq('reserved', '(', $._arithmetic, ')', optional('any')),
    check: $ => seq('check', choice($.integer, $.string)),
    field: $ => seq(field('name', $.name), choice($.switch, $._value), repeat($.annotation)),
    switch: $ => seq('switch', field('tag', $.expression), body($, $.arm)),
    arm: $ => seq(choice('default', list($.span)), ':', choice('empty', $._value), repeat($.annotation)),
    annotation: $ => seq('@', choice(
      seq(field('name', $.name), optional(seq('(', list($._annotation_argument), ')'))),
      seq(field('name', alias('fragment', $.name)), '(', $.type_name, ',', $._fragment_id, ',', $.fragment_place, ',', $.fragment_end, ')'))),
    _annotation_argument: $ => choice($.string, $.duration, seq($._arithmetic, optional(choice('bits', 'bytes')))),
    _fragment_id: $ => choice($.expression, $.fragment_id),
    fragment_id: $ => prec(1, seq('id', $.expression)),
    fragment_place: $ => seq(choice('index', 'offset'), $.expression),
    fragment_end: $ => seq(choice('count', 'total', 'last'), $.expression),

    _value: $ => seq(repeat($.prefix), field('type', $._type), optional($.endian), optional($.rule)),
    prefix: $ => choice(
      $.extent,
      'optional',
      seq('subset', '(', choice('bitmap', 'index', 'sentinel', 'relative'), optional('any'), ')', '[', $._arithmetic, ']')),
    extent: $ => seq('[', choice(
      seq(choice('until', 'while'), $.expression, ',', 'max', $._arithmetic),
      seq('..', $._arithmetic),
      seq($._arithmetic, optional(choice(seq('..', $._arithmetic), seq(',', 'max', $._arithmetic))))), ']'),
    endian: _ => choice('le', 'be'),

    _type: $ => choice($.body, $.named_type, $.builtin_type, $.sealed, $.checksum),
    named_type: $ => seq(field('name', $.type_name), optional(seq('(', list($.expression), ')'))),
    builtin_type: $ => choice(
      'bool', 'bool8', $._fixed, 'float32', 'float64', 'dnsname',
      seq(choice('bits', 'sbits', 'below', 'relative'), '(', $.expression, ')'),
      seq(choice('varint', 'zigzag', 'string', 'wstring', 'cstring', 'char'), '(', $._arithmetic, ')'),
      $._ranged,
      seq('float', '(', $._arithmetic, '..', $._arithmetic, ',', $._arithmetic, ')'),
      seq(choice('vec2', 'vec3', 'vec4'), '(', $._value, ')'),
      seq('quat', choice(seq('(', $._value, ')'), seq('smallest3', '(', $._arithmetic, ')'))),
      seq('bytes', $._size)),
    _fixed: _ => choice('uint8', 'uint16', 'uint32', 'uint64', 'int8', 'int16', 'int32', 'int64'),
    _ranged: $ => seq('int', '(', $._arithmetic, '..', $._arithmetic, ')'),
    _size: $ => seq('(', $.expression, optional(seq(',', 'max', $._arithmetic)), ')'),
    _integer_type: $ => choice(
      seq(alias($._fixed, $.builtin_type), optional($.endian)),
      seq(alias($._open_width, $.builtin_type), optional($.endian)),
      alias($._ranged, $.builtin_type)),
    _open_width: $ => seq(choice('bits', 'varint'), '(', $._arithmetic, ')'),

    sealed: $ => seq('sealed', $._size, field('algorithm', $.name), body($, $.seal_option)),
    seal_option: $ => prec.right(choice(
      seq('key', $.path), seq(choice('nonce', 'ad'), list($._seal_part)), seq('at', $._arithmetic), seq('open', $.type_name))),
    _seal_part: $ => choice($.string, seq(alias($._fixed, $.builtin_type), optional($.endian), $._arithmetic), $.path),

    checksum: $ => choice(
      seq(field('algorithm', $.name), optional(seq('(', list($.checksum_option), ')'))),
      seq('crc', '(', $._arithmetic, ',', $._arithmetic, ',', $._arithmetic, ',', $.truth, ',', $.truth, ',', $._arithmetic,
        repeat(seq(',', $.checksum_option)), ')')),
    checksum_option: $ => choice(
      seq(choice('prefix', 'suffix'), $.expression, ':', alias($._fixed, $.builtin_type), optional($.endian)),
      seq('over', choice($.rest, seq($.path, optional(seq('..', optional($.path)))), seq('..', $.path))),
      seq(choice('xor', 'check'), $._arithmetic)),

    rule: $ => choice(seq('in', $._set), seq(choice('==', '!='), $._literal), 'finite', 'utf8', 'ascii', 'latin1', 'utf16'),
    _literal: $ => choice($._arithmetic, $.string),
    _set: $ => choice($.set, $.span),
    set: $ => seq('{', list($.span), '}'),
    span: $ => seq($._arithmetic, optional(seq('..', $._arithmetic))),

    expression: $ => choice(alias($._logical, $.binary), alias($._test, $.binary), $.membership, $._arithmetic),
    _logical: $ => choice(
      prec.left(1, seq($.expression, '||', $.expression)),
      prec.left(2, seq($.expression, '&&', $.expression))),
    _test: $ => prec(3, seq($._arithmetic, choice('==', '!=', '<', '<=', '>', '>='), $._arithmetic)),
    membership: $ => prec(3, seq($._arithmetic, 'in', $._set)),
    _arithmetic: $ => choice(alias($._sum, $.binary), $.unary, $.integer, $.float, $.truth, $.rest, $.parentheses, $.has, $.call, $.path),
    _sum: $ => choice(
      prec.left(4, seq($._arithmetic, choice('+', '-', '|', '^'), $._arithmetic)),
      prec.left(5, seq($._arithmetic, choice('*', '/', '%', '&', '<<', '>>'), $._arithmetic))),
    unary: $ => prec(6, seq(choice('-', '!'), $._arithmetic)),
    parentheses: $ => seq('(', $.expression, ')'),
    has: $ => seq('has', 'state', '.', $.path),
    call: $ => seq(field('function', choice($.name, $.type_name)), '(', list($.expression), ')'),
    path: $ => prec.right(seq($._step, repeat(seq('.', $._step)))),
    _step: $ => choice($.name, $.type_name, ...named($, 'has', 'id', 'fragment')),
    truth: _ => choice('true', 'false'),
    rest: _ => 'rest',

    _separator: $ => choice($._line_end, ','),

    name: _ => /[a-z_][a-z0-9_]*/,
    type_name: _ => /[A-Z][A-Za-z0-9_]*/,
    integer: _ => token(choice(/0[xX][0-9A-Fa-f_]+/, /0[bB][01_]+/, /[0-9][0-9_]*/, /'([^'\\\n]|\\[nrt0\\"']|\\x[0-9A-Fa-f]{2})'/)),
    float: _ => /[0-9][0-9_]*\.[0-9][0-9_]*([eE][+-]?[0-9]+)?/,
    duration: _ => /[0-9][0-9_]*(ns|us|ms|s|m|h)/,
    string: $ => seq('"', repeat(choice($._text, $.escape)), token.immediate('"')),
    _text: _ => token.immediate(prec(1, /[^"\\\n]+/)),
    escape: _ => token.immediate(seq('\\', choice(/[nrt0\\"']/, /x[0-9A-Fa-f]{2}/))),
  },
});
