import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { notOfNode, notOfPostgres, ofEachTurn, ofOtherTurns, ofSystem } from '../../vitest.config.ts'
import { turns } from './rounds.ts'

/** `a/{b,c}` as `a/b` and `a/c`: each of them has to match. */
function patternsIn(pattern: string): readonly string[] {
  const [braces = '', names] = /\{([^}]*)\}/.exec(pattern) ?? []
  return names === undefined ? [pattern] : names.split(',').flatMap((name) => patternsIn(pattern.replace(braces, name)))
}

test.each(Object.entries({ ofSystem, ofEachTurn, notOfPostgres, notOfNode }))(
  'each pattern of %s matches a file',
  (_, list) => {
    const dead = list.flatMap(patternsIn).filter((pattern) => globSync(pattern).length === 0)
    expect(dead).toEqual([])
  },
)

test('the turns do each system test, and no run leaves one out for good', () => {
  const others = Array.from({ length: turns }, (_, turn) => ofOtherTurns(String(turn)))
  const leftOut = [...new Set(others.flat())]
  expect(leftOut.length).toBeGreaterThan(0)
  for (const path of leftOut) expect(others.filter((paths) => paths.includes(path))).toHaveLength(turns - 1)
  expect(ofOtherTurns('')).toEqual([])
})
