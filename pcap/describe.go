package pcap

import "iter"

// What a capture says of itself beside packets: sections, interfaces, and
// comments. A Reader keeps the options of the current section as bytes, and
// makes strings of them for those who ask.
//
// All strings here are the file's: they may hold anything, control characters
// and broken UTF-8 included, and are to be escaped where they are shown.

// maxText bounds what a Reader keeps of a section's options, in bytes. What
// comes after it is still checked, and forgotten.
const maxText = 256 << 10

// A Section says where a capture, or a part of a pcapng file, comes from.
type Section struct {
	Hardware, OS, Application string
	Comments                  []string
	// Interfaces are those that a Writer describes at once, before the first
	// packet of each; a Reader leaves it nil.
	Interfaces []Interface
}

// An Interface says where packets were captured.
type Interface struct {
	Link LinkType
	// SnapLen is the most bytes that are kept of a packet, as the file claims
	// it; 0 is no limit.
	SnapLen              uint32
	Name, Description    string
	Hardware, OS, Filter string
	Comments             []string
}

// Options that are kept, by code. Comments may be on any block.
const (
	optComment       = 1
	optSectionHW     = 2
	optSectionOS     = 3
	optSectionApp    = 4
	optIfName        = 2
	optIfDescription = 3
	optIfFilter      = 11
	optIfOS          = 12
	optIfHardware    = 15
)

// filterString begins an if_filter that is text, as libpcap's are.
const filterString = 0

// A span is a piece of Reader.text. start ≤ end ≤ maxText.
type span struct{ start, end uint32 }

// keep copies checked options into text, all or (without room) nothing.
func (r *Reader) keep(opts []byte) span {
	if len(r.text)+len(opts) > maxText {
		return span{}
	}
	start := uint32(len(r.text))
	r.text = append(r.text, opts...)
	return span{start, uint32(len(r.text))}
}

func (r *Reader) kept(s span) []byte { return r.text[s.start:s.end] }

// Section describes the section of the packet read last: empty for a classic
// file.
func (r *Reader) Section() Section {
	var s Section
	for code, value := range r.list(r.kept(r.sectionText)) {
		switch code {
		case optComment:
			s.Comments = append(s.Comments, string(value))
		case optSectionHW:
			s.Hardware = string(value)
		case optSectionOS:
			s.OS = string(value)
		case optSectionApp:
			s.Application = string(value)
		}
	}
	return s
}

// Interfaces is the number of interfaces that the section has so far. A
// classic file has one.
func (r *Reader) Interfaces() int {
	if r.fractions != 0 {
		return 1
	}
	return len(r.ifaces)
}

// Interface describes an interface of the current section; id is a packet's
// InterfaceIndex, 0 ≤ id < Interfaces(). Of names and comments the section
// keeps 256 KiB; an interface beyond that has none.
func (r *Reader) Interface(id int) Interface {
	if id < 0 || id >= r.Interfaces() {
		panic("pktscope: internal error: no such capture interface")
	}
	if r.fractions != 0 {
		return Interface{Link: r.link, SnapLen: r.snapLen}
	}
	ifc := Interface{Link: r.ifaces[id].link, SnapLen: r.ifaces[id].snapLen}
	for code, value := range r.list(r.kept(r.ifaces[id].text)) {
		switch code {
		case optComment:
			ifc.Comments = append(ifc.Comments, string(value))
		case optIfName:
			ifc.Name = string(value)
		case optIfDescription:
			ifc.Description = string(value)
		case optIfFilter:
			if len(value) > 0 && value[0] == filterString {
				ifc.Filter = string(value[1:])
			}
		case optIfOS:
			ifc.OS = string(value)
		case optIfHardware:
			ifc.Hardware = string(value)
		}
	}
	return ifc
}

// Comments returns the comments on the packet read last, all of them and in
// order; nil, without allocating, if there are none.
func (r *Reader) Comments() []string { return r.comments(r.opts) }

// comments takes them from options that were checked.
func (r *Reader) comments(opts []byte) (list []string) {
	for code, value := range r.list(opts) {
		if code == optComment {
			list = append(list, string(value))
		}
	}
	return list
}

// list iterates over options that r.options has checked.
func (r *Reader) list(opts []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		for len(opts) >= 4 {
			code, size := r.u16(opts), int(r.u16(opts[2:]))
			if code == optEnd || !yield(code, opts[4:4+size]) {
				return
			}
			opts = opts[4+(size+3)&^3:]
		}
	}
}
