import { expect, test } from 'vitest'
import { cleanLabel, decodeLabel, encodeLabel } from './text-rules.ts'

test.each([
  ['laptop', 'laptop'],
  ['  build   agent 7 ', 'build agent 7'],
  ['a\u0000b\u001b[31mc\u009b\r\nd\te', 'a b [31mc d e'],
  // Right-to-left overrides and zero-width characters would display another text.
  ['bank\u202emoc.\u200bexe\ufeff', 'bank moc. exe'],
  ['line\u2028break\u2029', 'line break'],
  ['Anns Büro 🚪', 'Anns Büro 🚪'],
  ['🚪'.repeat(65), '🚪'.repeat(64)],
  [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
  ['\ud800', null],
  [' \u0007 ', null],
  ['', null],
  ['\u3164\u115f', null],
  ['\u2800 \u2800', null],
  ['\u3164Büro', '\u3164Büro'],
])('the label %j is %j', (text, label) => {
  expect(cleanLabel(text)).toBe(label)
})

test('a header holds any letters, and what nobody encoded is taken as it is', () => {
  for (const label of ['laptop', 'Anns Büro 🚪', '100% mine', 'a%20b']) {
    expect(encodeLabel(label)).toMatch(/^[\x21-\x7e]+$/)
    expect(decodeLabel(encodeLabel(label))).toBe(label)
  }
  expect([decodeLabel('100% mine'), decodeLabel('%ff'), decodeLabel('build agent')]).toEqual([
    '100% mine',
    '%ff',
    'build agent',
  ])
  expect(encodeLabel('\ud800')).toBe('%EF%BF%BD')
})
