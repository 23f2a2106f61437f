import { describe, expect, it, test } from 'vitest'
import { cleanLabel, decodeLabel, encodeLabel, isBlank, isPicture } from './text-rules.ts'

test.each([
  '',
  '  ',
  '\n\t',
  '\u00a0',
  '\u3164',
  '\u115f\u1160',
  '\uffa0',
  '\u2800',
  '\u200b\u2060',
  '\u{e0001}',
  '\ufe0f',
  '\u00ad',
])('the name %j looks like none', (name) => expect(isBlank(name)).toBe(true))

test.each(['a', '.', '👩‍👩‍👧', ' ж ', '\u3164a', '⠁', '한', '-'])('the name %j is one', (name) =>
  expect(isBlank(name)).toBe(false),
)

/** A GIF of one pixel. */
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='

describe('a picture', () => {
  it.each([
    '',
    'https://example.com/a.png',
    'http://localhost:3000/a.png?size=2#x',
    'https://münchen.example/ü.png',
    `https://example.com/${'x'.repeat(2028)}`,
    dot,
    'data:image/png;base64,iVBORw0KGgo=',
    'data:image/jpeg;base64,AAAA',
    'data:image/webp;base64,AAAA',
  ])('may be %j', (text) => expect(isPicture(text)).toBe(true))

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'vbscript:msgbox(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'data:image/png,<script>',
    'data:image/png;base64,A"onerror=alert(1)',
    'data:image/png;charset=x;base64,AAAA',
    'data:,x',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'filesystem:https://example.com/a.png',
    'view-source:https://example.com',
    'https:',
    'https://',
    'https:///a.png',
    'https://?x',
    'https:example.com',
    'https:\\\\example.com',
    'https://example.com/a.png" onerror="alert(1)',
    'https://example.com/<script>',
    'https://example.com/a\njavascript:alert(1)',
    'https://example.com/a b',
    '//example.com/a.png',
    '/a.png',
    'a.png',
    'x',
    `https://example.com/${'x'.repeat(2029)}`,
  ])('is never %j', (text) => expect(isPicture(text)).toBe(false))
})

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
