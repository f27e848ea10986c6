package plan

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Text is an operand as `schema plan` prints it: a number, a register (s4), the name of a leaf, or an expression in
// postfix order.
func (p *Plan) Text(operand uint32) string {
	o := &p.Operands[operand]
	switch o.Kind {
	case OperandConst:
		if o.Signed {
			return fmt.Sprint(int64(o.Const))
		}
		return fmt.Sprint(o.Const)
	case OperandRegister:
		return fmt.Sprintf("s%d", o.Register)
	case OperandLeaf:
		return o.Expr.Text
	case OperandCode:
	}
	var b strings.Builder
	for j, in := range p.Insts[o.Start:o.End] {
		if j > 0 {
			b.WriteByte(' ')
		}
		if row := &instRows[in.Code]; row.text == "" {
			b.WriteString(row.word)
		} else {
			fmt.Fprintf(&b, row.text, int64(in.Imm), in.A, schema.Direction(in.A), in.Imm)
		}
	}
	return "(" + b.String() + ")"
}

// VerifyCode proves of an OperandCode that each of its instructions is known and that it leaves one value within the
// stack. read is asked for each register that it reads.
func (p *Plan) VerifyCode(o *Operand, read func(register uint32) error) error {
	if o.Start >= o.End || int(o.End) > len(p.Insts) {
		return fmt.Errorf("expression out of range")
	}
	depth := 0
	for _, in := range p.Insts[o.Start:o.End] {
		if int(in.Code) >= insts {
			return fmt.Errorf("no instruction has the code %d", in.Code)
		}
		if (in.Code == instPeek || in.Code == instTail) && (in.A < 1 || in.A > 64 || in.Imm > uint64(wire.Bytewise)) {
			return fmt.Errorf("no look is at %d bits in order %d", in.A, in.Imm)
		}
		if in.Code == instHere && in.A != 1 && in.A != 8 {
			return fmt.Errorf("no coverage begins at a multiple of %d bits", in.A)
		}
		if in.Code == instIn && int(in.A) >= len(p.Sets) {
			return fmt.Errorf("set out of range")
		}
		if in.Code == instTable && (int(in.A) >= len(p.Tables) || p.Tables[in.A].Signed != in.SX) {
			return fmt.Errorf("table out of range")
		}
		if in.Code == instRegister {
			if err := read(in.A); err != nil {
				return err
			}
		}
		if depth -= instRows[in.Code].takes; depth < 0 {
			return fmt.Errorf("expression takes more than it has")
		}
		if depth++; depth > maxStack {
			return fmt.Errorf("expression deeper than %d", maxStack)
		}
	}
	if depth != 1 {
		return fmt.Errorf("expression leaves %d values", depth)
	}
	return nil
}

// Text is what `schema plan` says of the number, of which the operand's text is given.
func (s *Number) Text(operand string) string {
	return fmt.Sprintf(s.Kind.row().text, operand, int64(s.Lo), s.Bits, s.Most, s.Previous)
}

// Climbs reports whether the value is above the one in register Previous.
func (s *Number) Climbs() bool { return s.Kind.row().climbs }
