package report

// docTable is a table of the page, for both writers. The first column names the row.
type docTable struct {
	Heads []string
	Rows  []docRow
}

// docRow is a row. A heading has one cell, which stands for all columns.
type docRow struct {
	Level   int
	Heading bool
	Cells   []docCell
}

// docCell is text, or code, which may name the part of the page that is about it.
type docCell struct {
	Head, Text, Ref string
	Code            bool
}

// newDocTable is an empty table. A column whose name begins with a backtick holds code.
func newDocTable(heads ...string) *docTable { return &docTable{Heads: heads} }

// add adds a row.
func (t *docTable) add(level int, cells ...string) *docRow {
	row := docRow{Level: min(level, 6)}
	for i, text := range cells {
		head, code := t.head(i)
		row.Cells = append(row.Cells, docCell{Head: head, Text: text, Code: code})
	}
	t.Rows = append(t.Rows, row)
	return &t.Rows[len(t.Rows)-1]
}

func (t *docTable) heading(level int, text string) {
	t.Rows = append(t.Rows, docRow{Level: min(level, 6), Heading: true, Cells: []docCell{{Text: text, Code: true}}})
}

// head is the name of column i, and whether it holds code.
func (t *docTable) head(i int) (name string, code bool) {
	if name = t.Heads[i]; name != "" && name[0] == '`' {
		return name[1:], true
	}
	return name, false
}

// done leaves out the columns in which nothing stands.
func (t *docTable) done() *docTable {
	used := make([]bool, len(t.Heads))
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			used[i] = used[i] || c.Text != ""
		}
	}
	out := &docTable{}
	for i := range t.Heads {
		if used[i] || i == 0 {
			name, _ := t.head(i)
			out.Heads = append(out.Heads, name)
		}
	}
	for _, row := range t.Rows {
		var cells []docCell
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
