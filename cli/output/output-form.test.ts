import { expect, test } from 'vitest'
import { wantsJson } from './output-form.ts'

test.each([
  ['role view x --json', true],
  ['role view x -o json', true],
  ['role view -- --json', false],
  ['role view -- -o json', false],
  ['role view -- x', false],
])('%s: errors are JSON: %j', (line, expected) => expect(wantsJson(line.split(' '))).toBe(expected))
