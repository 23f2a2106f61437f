import { expect, test } from 'vitest'
import { rowText, textOfCsv } from './rows.ts'

test.each([
  [['admin', 'member'], '"admin,member"', 'admin,member'],
  [['member:read'], 'member:read', 'member:read'],
  [[], '', ''],
  [['Design, Web', 'Ops'], '"[""Design, Web"",""Ops""]"', '["Design, Web","Ops"]'],
  [[' Ops'], '"["" Ops""]"', '[" Ops"]'],
  [['["Ops"]'], '"[""[\\""Ops\\""]""]"', '["[\\"Ops\\"]"]'],
  [[''], '"[""""]"', '[""]'],
  [[1, 2], '"[1,2]"', '[1,2]'],
  [{ max: 3 }, '"{""max"":3}"', '{"max":3}'],
])('a nested value %j is %s, with tabs %s', (value, csv, tsv) =>
  expect([rowText([value], ','), rowText([value], '\t')]).toEqual([csv, tsv]),
)

// Names are chosen by strangers, and CSV files are opened in spreadsheets.
test.each(['=1+1', '=cmd|x', '+SUM(A1)', '-cmd', '@SUM', '＝1', '－x', '+1 a', ' =1', "'=1", "''+x"])(
  'no spreadsheet runs %j, which is the same when it is read again',
  (text) => {
    const cell = rowText([text], ',')
    expect([cell, textOfCsv(cell), rowText([text], '\t')]).toEqual([`'${text}`, text, text])
  },
)

test.each(['Ann', "'tis", 'a=b', '+49 (170) 123-45', '-5', '', "O'Neil", '2026-01-01'])('%j is let be', (text) =>
  expect([rowText([text], ','), textOfCsv(text)]).toEqual([text, text]),
)

test('a semicolon ends no field, whatever separates the fields of a spreadsheet', () =>
  expect(rowText(['Bo;=1+1', 'x'], ',')).toBe('"Bo;=1+1",x'))

test('no number is a formula', () => expect(rowText([-1e-7, -5], ',')).toBe('-1e-7,-5'))
