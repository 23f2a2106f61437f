import { expect, test } from 'vitest'
import { displayWidth } from '../output/width.ts'
import { symbols } from './theme.ts'

test('every sign of ours is one column, as the build promises to the width tables', () => {
  // The characters for which rolldown.config.js skips the emoji tables.
  const promised = '·×–—‘’“”•…›←↑→↓─│╭╮╰╯○●❯✗'
  for (const sign of [...promised.split(''), ...Object.values(symbols)])
    expect([sign, displayWidth(sign)]).toEqual([sign, 1])
  for (const sign of Object.values(symbols)) expect(promised).toContain(sign)
})
