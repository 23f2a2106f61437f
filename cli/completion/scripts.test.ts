import { expect, test } from 'vitest'
import { scripts } from './scripts.ts'

const plain = new RegExp(/-notmatch '([^']+)'/.exec(scripts.powershell)?.[1] ?? '(?!)')

test.each([
  'team',
  '--role',
  '--json=',
  'ben@example.com',
  'https://accounts.example.com/api',
  '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c',
])('in PowerShell %s stands as it is', (word) => {
  expect(word).toMatch(plain)
})

test.each([
  'Design team',
  "De'sign",
  'De‘sign',
  'De"sign',
  'a`nb',
  '$(calc)',
  '$HOME',
  'a;calc',
  'a|calc',
  'a&calc',
  'a>b',
  '(calc)',
  '{calc}',
  '@x',
  '#x',
  '%x',
  'id,name',
  'é',
])('in PowerShell %s is quoted', (word) => {
  expect(word).not.toMatch(plain)
})

test('PowerShell gets nothing that was not looked at, and quotes it by its own rules', () => {
  const script = scripts.powershell
  expect(script).toContain(
    '"\'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text) + "\'"',
  )
  expect(script.match(/CompletionResult\]::new\(.*/g)).toEqual([
    "CompletionResult]::new($text, $_, 'ParameterValue', $_)",
  ])
  // Unquoted, `--` ends a script's parameters and is dropped.
  expect(script).toContain("__complete '--' @words")
  for (const [open, close] of ['()', '{}', '[]'])
    expect(script.split(open ?? '')).toHaveLength(script.split(close ?? '').length)
})
