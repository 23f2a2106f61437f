import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayWidth } from '../../output/width.ts'
import { cell, shrinkWidths } from './columns.ts'
import { keepText } from './field.tsx'
import { fitKeys } from './footer.tsx'

test('only one component hands text to Ink, so that all of it is filtered', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))
  const writers = files.filter((name) =>
    /import \{[^}]*\b(Text|Transform|Static|Newline)\b[^}]*\} from 'ink'/.test(
      readFileSync(`${folder}${name}`, 'utf8'),
    ),
  )
  expect(files.length).toBeGreaterThan(20)
  expect(writers).toEqual(['components/words.tsx'])
})

test('columns fill no more than the room as long as they can give way', () => {
  expect(shrinkWidths([10, 40, 12], 60)).toEqual([10, 38, 12])
  expect(shrinkWidths([10, 10], 30)).toEqual([10, 10])
  expect(shrinkWidths([30, 30], 4)).toEqual([6, 6])
})

test('a cell is exactly as wide as asked, whatever stands in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
      expect(displayWidth(cell(text, width))).toBe(width)
    }),
  )
})

test('the footer drops keys from the right, but never help and the way out', () => {
  const keys = ['a', 'b', 'c', 'd'].map((key) => ({ key, label: 'label', isDisabled: false }))
  const shown = (width: number) =>
    fitKeys(keys, width)
      .map(({ key }) => key)
      .join('')
  expect(shown(80)).toBe('abcd')
  expect(shown(28)).toBe('acd')
  expect(shown(5)).toBe('cd')
  const refused = fitKeys([{ key: 'a', label: 'label', isDisabled: true }, ...keys.slice(1)], 38)
  expect(refused).toHaveLength(3)
})

test('a field keeps what can be sent, and nothing that acts or hides', () => {
  expect(keepText('a\u001b[2Jb\u202ec\u200bd', false)).toBe('a[2Jbcd')
  expect(keepText('pass\u200bword\u202e', true)).toBe('pass\u200bword\u202e')
  expect(keepText('👩‍👩‍👧\ud83d', false)).toBe('👩‍👩‍👧')
  expect(keepText('x'.repeat(5000), false)).toHaveLength(2048)
})
