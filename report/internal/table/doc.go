// Package table lays out the text of all reports: numbers and plurals, text that is cut to its place, colours, and rows
// in columns as wide as the line allows. Whoever shows names or texts of others in JSON, SARIF or JUnit cuts them with
// Clip and Fit, too.
//
// Text from outside is escaped before it comes here: a character is a cell, and none of them moves a terminal's cursor.
// Characters of East Asia fill two cells; a schema that is written in them has wider lines.
package table
