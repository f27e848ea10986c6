package syntax

// Walk is Body.Walk of all bodies of a file, in the order of the source.
func (f *File) Walk(visit func(node any)) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *StructDecl:
			d.Body.Walk(visit)
		case *PacketDecl:
			d.Body.Walk(visit)
		case *MessageDecl:
			d.Body.Walk(visit)
		}
	}
}

// Walk calls visit for each item, arm (*ArmNode) and value (*ValueExpr) of a body and of those in it, inline structs
// included, in the order of the source and before what it holds. A nil body has none.
func (b *Body) Walk(visit func(node any)) {
	if b == nil {
		return
	}
	for _, it := range b.Items {
		walkItem(it, visit)
	}
}

func walkItem(it ItemNode, visit func(any)) {
	visit(it)
	switch it := it.(type) {
	case *FieldItem:
		it.Value.walk(visit)
		if it.Switch != nil {
			for _, arm := range it.Switch.Arms {
				visit(arm)
				arm.Value.walk(visit)
			}
		}
	case *IfItem:
		it.Then.Walk(visit)
		if it.Else != nil && it.Else.If != nil {
			walkItem(it.Else.If, visit)
		} else if it.Else != nil {
			it.Else.Body.Walk(visit)
		}
	case *WithinItem:
		it.Body.Walk(visit)
	}
}

func (v *ValueExpr) walk(visit func(any)) {
	if v == nil {
		return
	}
	visit(v)
	switch t := v.Type.(type) {
	case BodyType:
		t.Body.Walk(visit)
	case *VectorType:
		t.Elem.walk(visit)
	}
}
