import { Terminal } from '@xterm/headless'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeControls } from './escape-controls.ts'

const acting = /[\p{Cc}\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad]/u

const payloads = {
  'clears the screen': '\u001b[2J\u001b[H',
  'writes the clipboard (OSC 52)': '\u001b]52;c;ZWNobyBwd25lZA==\u0007',
  'hides a link (OSC 8)': '\u001b]8;;https://evil.example\u001b\\Acme\u001b]8;;\u001b\\',
  'sets the title': '\u001b]0;owned\u0007',
  'overwrites its line': 'Acme\rEvil',
  'uses eight-bit CSI and OSC': '\u009b2J\u009d0;owned\u009c',
  'turns the text round': 'invoice\u202Efdp.exe',
  'isolates text': '\u2066a\u2069\u061Cb\u200E\u200F',
  'hides characters': 'ad\u200Bmin\u200C\u2060\uFEFF\u00AD',
  'adds rows and columns': 'a\nb\tc\u2028d\u2029e\u0085f\u000bg\u000ch',
  'smuggles tags': 'a\u{E0041}\u{E0042}',
  'is 10 kB': '\u001b[31m'.repeat(2_500),
}

const screenAfter = (text: string): Promise<Terminal> => {
  const terminal = new Terminal({ cols: 200, rows: 200, allowProposedApi: true })
  return new Promise((done) => terminal.write(text, () => done(terminal)))
}

const rowsOf = (terminal: Terminal): string =>
  Array.from({ length: terminal.buffer.active.length }, (_, row) =>
    terminal.buffer.active.getLine(row)?.translateToString(true),
  ).join('')

test.each(Object.entries(payloads))('a name that %s is only text to a terminal', async (_, payload) => {
  const terminal = await screenAfter(`before ${escapeControls(payload)} after`)
  expect(rowsOf(terminal)).toBe(`before ${escapeControls(payload)} after`)
  expect(escapeControls(payload)).not.toMatch(acting)
})

test('what is taken away is shown by name', () => {
  expect(escapeControls('a\u001b[31m\nb\tc\u007f\u009b\u202e\u200b')).toBe(
    'a\\u001b[31m\\nb\\tc\\u007f\\u009b\\u{202e}\\u{200b}',
  )
  expect(escapeControls('\ud800x')).toBe('\\u{d800}x')
})

test.each([
  ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', 'of a Persian word'],
  ['\u0915\u094d\u200d\u0937', 'of a Hindi one'],
  ['\u0915\u094d\u200c\u0937', 'that parts a Hindi one'],
])('%s keeps the joiner %s', (text) => {
  expect(escapeControls(text)).toBe(text)
})

test.each([
  'ad\u200cmin',
  'ad\u200dmin',
  '\u062f\u200c\u0631',
  '\u06cc\u200c',
  '\u06cc\u200cx',
  '\u06cc\u200d\u062e',
  '\u094d\u200d\u0937',
])('a joiner that changes nothing is shown by name (%#)', (text) => {
  expect(escapeControls(text)).toMatch(/\\u\{200[cd]\}/)
})

test('no character that acts or hides is left of any text', () => {
  const nasty = fc.constantFrom(...Object.values(payloads), '👩', '\u200d', '\ufe0f', '1', '\u20e3', '🏽')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(nasty).map((list) => list.join('')),
      ),
      (text) => {
        const shown = escapeControls(text)
        expect(shown).not.toMatch(acting)
        expect(Buffer.from(shown).toString()).toBe(shown)
        expect(
          shown.replaceAll(
            /\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?\u200d(?=\p{Extended_Pictographic})/gu,
            '',
          ),
        ).not.toContain('\u200d')
      },
    ),
    { numRuns: 200 },
  )
})

test('text that people write stays as it is', () => {
  const kept = [
    'Zoë Müller',
    'Ωmega — “quoted” …',
    '日本語',
    'שלום',
    'नमस्ते',
    'e\u0301',
    '👩‍👩‍👧',
    '👍🏽',
    '❤️',
    '🏳️‍🌈',
    '1️⃣',
    '🇨🇭',
  ]
  for (const text of kept) expect(escapeControls(text)).toBe(text)
})

test('a joiner is kept between pictures only', () => {
  expect(escapeControls('a\u200db')).toBe('a\\u{200d}b')
  expect(escapeControls('👩\u200d')).toBe('👩\\u{200d}')
  expect(escapeControls('a\ufe0f')).toBe('a\\u{fe0f}')
})

test('a long run of marks, such as another member can set, does not keep the terminal waiting', () => {
  const marks = 'न\u094d'.repeat(4000) + '\u0301\u0323'.repeat(8000)
  expect(escapeControls(`${marks}\u200b`)).toBe(`${marks}\\u{200b}`)
})

test('text shown once is shown the same again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeControls(escapeControls(text))).toBe(escapeControls(text))
    }),
  )
})
