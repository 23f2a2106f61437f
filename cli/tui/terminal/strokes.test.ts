import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeKey, focusIn, focusOut, splitStrokes, toSingleLine } from './strokes.ts'

const texts = (input: string) => splitStrokes(input).strokes.map(({ text }) => text)

describe('keys', () => {
  test.each([
    ['jjD', ['j', 'j', 'D']],
    ['abc\r', ['a', 'b', 'c', '\r']],
    ['\n', ['\r']],
    ['\r\n', ['\r']],
    ['e\u0301日👩‍👩‍👧', ['e\u0301', '日', '👩‍👩‍👧']],
    ['\u001b[A\u001b[B\u001bOC', ['\u001b[A', '\u001b[B', '\u001b[C']],
    ['\u001b[1;5A', ['\u001b[A']],
    ['\u001b[5~\u001b[6~\u001b[1~\u001b[4~\u001b[Z', ['\u001b[5~', '\u001b[6~', '\u001b[H', '\u001b[F', '\u001b[Z']],
    ['\u001bq', [escapeKey, 'q']],
    ['\u001bb\u001bfd\u001bd', ['\u001bb', '\u001bf', 'd', '\u001bd']],
    ['\u001b\u001b[A', [escapeKey, '\u001b[A']],
    ['\u001b[27u', [escapeKey]],
    ['a\u001b[Ib\u001b[O', ['a', focusIn, 'b', focusOut]],
    ['\u0003', ['\u0003']],
    ['\u0001\u0005\u000b\u0015\u0017', ['\u0001', '\u0005', '\u000b', '\u0015', '\u0017']],
    ['\u000f\u0012', ['\u000f', '\u0012']],
    ['\u0007\u0010\u001a', ['\u0007', '\u0010', '\u001a']],
  ])('%j come apart as %j', (input, expected) => expect(texts(input)).toEqual(expected))

  test.each(['\u001b[15~', '\u001b[[A', '\u001b[?62;c', '\u001b[3~', '\u001b[99;99H', '\u0000\u001c\u001f\u009b'])(
    '%j means nothing and types nothing',
    (input) => expect(texts(input)).toEqual([]),
  )

  test.each(['\u001b', '\u001b[', '\u001b[1;', '\u001bO', '\u001b[200~half a paste'])(
    '%j waits for the rest',
    (input) => expect(splitStrokes(`a${input}`)).toEqual({ strokes: [{ text: 'a', isPaste: false }], rest: input }),
  )
})

describe('a bracketed paste', () => {
  test('is one stroke among keys', () => {
    expect(splitStrokes('j\u001b[200~D y\rq\u001b[201~k').strokes).toEqual([
      { text: 'j', isPaste: false },
      { text: 'D y q', isPaste: true },
      { text: 'k', isPaste: false },
    ])
  })

  test('keeps its lines apart by spaces and loses its last line end and all controls', () => {
    expect(toSingleLine('one\r\ntwo\tthree\u001b[2J\u0000\n')).toBe('one two three[2J')
    expect(toSingleLine('secret\n')).toBe('secret')
  })
})

const shownStroke = (text: string): string =>
  /^\p{Cc}$/u.test(text) ? (text <= '\u001a' || text === '\u007f' ? 'CTRL' : 'control') : text.replace('\u001b', 'ESC')

test('no read of any bytes, cut anywhere, makes an escape sequence of its own or hangs', () => {
  const piece = fc.constantFrom('\u001b', '[', '200~', '201~', 'A', ';5', 'O', 'q', '日', '\r', '\u0007', ']0;x')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      let rest = ''
      for (const bytes of pieces) {
        const split = splitStrokes(rest + bytes)
        rest = split.rest
        for (const { text } of split.strokes)
          expect(shownStroke(text)).toMatch(/^(ESC\[([A-FHZ]|[56]~|27u)|\P{Cc}+|CTRL)$/u)
      }
    }),
  )
})
