import { expect, test } from 'vitest'
import { rowText } from './rows.ts'

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
