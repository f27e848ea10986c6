package schemadoc

// textTable is a table of the page, for both writers. The first column names the row.
type textTable struct {
	Heads []string
	Rows  []textRow
}

// textRow is a row. A heading has one cell, which stands for all columns.
type textRow struct {
	Level   int
	Heading bool
	Cells   []textCell
}

// textCell is text, or code, which may name the part of the page that is about it.
type textCell struct {
	Head, Text, Ref string
	Code            bool
}

// newTextTable is an empty table. A column whose name begins with a backtick holds code.
func newTextTable(heads ...string) *textTable { return &textTable{Heads: heads} }

// add adds a row.
func (t *textTable) add(level int, cells ...string) *textRow {
	row := textRow{Level: min(level, 6)}
	for i, text := range cells {
		head, code := t.head(i)
		row.Cells = append(row.Cells, textCell{Head: head, Text: text, Code: code})
	}
	t.Rows = append(t.Rows, row)
	return &t.Rows[len(t.Rows)-1]
}

func (t *textTable) heading(level int, text string) {
	t.Rows = append(t.Rows, textRow{Level: min(level, 6), Heading: true, Cells: []textCell{{Text: text, Code: true}}})
}

// head is the name of column i, and whether it holds code.
func (t *textTable) head(i int) (name string, code bool) {
	if name = t.Heads[i]; name != "" && name[0] == '`' {
		return name[1:], true
	}
	return name, false
}

// done leaves out the columns in which nothing is.
func (t *textTable) done() *textTable {
	used := make([]bool, len(t.Heads))
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			used[i] = used[i] || c.Text != ""
		}
	}
	out := &textTable{}
	for i := range t.Heads {
		if used[i] || i == 0 {
			name, _ := t.head(i)
			out.Heads = append(out.Heads, name)
		}
	}
	for _, row := range t.Rows {
		var cells []textCell
		for i, c := range row.Cells {
			if used[i] || i == 0 {
				cells = append(cells, c)
			}
		}
		row.Cells = cells
		out.Rows = append(out.Rows, row)
	}
	return out
}
