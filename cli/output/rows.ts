import type { Cell } from './cell.ts'
import { escapeControls, jsonText } from './escape-controls.ts'

/** A row of comma-separated (RFC 4180) or tab-separated values. Simple lists are as flags take them, else JSON. */
export const rowText = (values: readonly unknown[], separator: ',' | '\t'): string =>
  values.map((value) => (separator === ',' ? quoted(csvText(value)) : fieldText(value))).join(separator)

/** What a spreadsheet takes for a formula, also in wide characters. A telephone number does no harm. */
const formula = /^[\s']*(?:[=@＝＠]|[+\-＋－](?![\d ().-]*$))/

/**
 * A spreadsheet runs text like `=HYPERLINK(…)`, which anybody can sign up with as their name. It takes text behind an
 * apostrophe as it is.
 */
function csvText(value: unknown): string {
  const text = fieldText(value)
  return typeof value !== 'number' && formula.test(text) ? `'${text}` : text
}

/** The text of a cell of our own, or of a spreadsheet. */
export const textOfCsv = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell

// Some spreadsheets end a field at a semicolon too, and the rest of a name would be a field of its own: `Bo;=1+1`.
const quoted = (text: string): string => (/[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Line breaks and tabs are shown by name, as other control characters are, so a row is one line. */
function fieldText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? escapeControls(value) : nestedText(value)
}

/** A list of words as `--csv` and flags take it: `admin,member`. Any other value that is not plain is JSON. */
const nestedText = (value: unknown): string =>
  Array.isArray(value) && value.every(isListWord) ? value.join(',') : jsonText(value)

/** Whether it is the same word when it is read from among others. */
const isListWord = (value: unknown): boolean => typeof value === 'string' && /^[^\s,[](?:[^,]*[^\s,])?$/.test(value)

/** Any value of an answer, for a table. */
export const cellOf = (value: unknown): Cell =>
  typeof value === 'object' && !(value instanceof Date) && value !== null ? nestedText(value) : (value as Cell)
