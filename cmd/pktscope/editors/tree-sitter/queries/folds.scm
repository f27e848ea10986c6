[(body) (enumeration) (state) (switch) (table) (sealed)] @fold
