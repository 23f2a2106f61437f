import fc from 'fast-check'
import { expect, test } from 'vitest'
import { graphemes, plainTextPattern } from './graphemes.ts'
import { displayWidth } from './width.ts'

const plain = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter((text) =>
  plainTextPattern.test(text),
)
const escaped = fc.string({ unit: fc.constantFrom(...plain, '\u001b') })

test('the graphemes of any text, plain or not, are those of the standard', () => {
  const standard = new Intl.Segmenter()
  fc.assert(
    fc.property(fc.oneof(escaped, fc.string({ unit: 'binary' }), fc.string()), fc.nat(8), (text, at) => {
      const [ours, theirs] = [graphemes.segment(text), standard.segment(text)]
      expect([...ours]).toEqual([...theirs])
      expect(ours.containing(at)).toEqual(theirs.containing(at))
    }),
  )
})

test('the graphemes of a long text are those of the standard, too', () => {
  const long = 'é🇩🇪e\u0301👩‍👩‍👧한\r\n'.repeat(300)
  expect([...graphemes.segment(long)]).toEqual([...new Intl.Segmenter().segment(long)])
  expect(graphemes.segment(long).containing(1500)).toEqual(new Intl.Segmenter().segment(long).containing(1500))
})

test.each(['🇩🇪', '👨‍👩‍👧‍👦', '👍🏽'])('a long text of %s is cut within none of them, wherever it begins', (emoji) => {
  for (const before of ['', ' ', '  ', '   ']) {
    const [first, ...others] = [...graphemes.segment(before + emoji.repeat(1000))].slice(before.length)
    expect([first?.segment, others.length, others.every(({ segment }) => segment === emoji)]).toEqual([
      emoji,
      999,
      true,
    ])
  }
})

test('whatever is plain is one column wide', () => {
  expect(plain).toContain('─')
  for (const character of plain) expect([character, displayWidth(character)]).toEqual([character, 1])
})

test.each(['\r\n', 'e\u0301', '👍🏽', '한'])('%j is not plain, and one grapheme', (text) => {
  expect([...graphemes.segment(text)]).toHaveLength(1)
})
