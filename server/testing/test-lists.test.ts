import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { notOfNode, notOfPostgres, ofSystem, testFiles } from '../../vitest.config.ts'

/** `a/{b,c}` as `a/b` and `a/c`: each of them has to match. */
function patternsIn(pattern: string): readonly string[] {
  const [braces = '', names] = /\{([^}]*)\}/.exec(pattern) ?? []
  return names === undefined ? [pattern] : names.split(',').flatMap((name) => patternsIn(pattern.replace(braces, name)))
}

test.each(Object.entries({ ofSystem, notOfPostgres, notOfNode }))('each pattern of %s matches a file', (_, list) => {
  const files = testFiles()
  const dead = list.flatMap(patternsIn).filter((pattern) => !files.some((file) => matchesGlob(file, pattern)))
  expect(dead).toEqual([])
})
