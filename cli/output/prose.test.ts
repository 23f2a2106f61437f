import { expect, test } from 'vitest'
import { hangingProse, wrapProse } from './prose.ts'

test.each<[string, readonly string[]]>([
  [
    'See them: postern key list; your own: postern key list --mine',
    ['See them:', 'postern key list', 'your own:', 'postern key list --mine'],
  ],
  [
    'A mail with a link is on its way to you: postern account email verify LINK, then postern sign-in',
    ['A mail with a link is on its way to you:', 'postern account email verify LINK', 'then', 'postern sign-in'],
  ],
  [
    "Is the service running there, and is it yours? See what it says: postern invitation create 'it'\\''s; me' --role a,b < list.txt",
    [
      'Is the service running there, and is it yours? See',
      'what it says:',
      "postern invitation create 'it'\\''s; me' --role a,b < list.txt",
    ],
  ],
  [
    "echo 'source <(postern completion bash)' >> ~/.bashrc # and so on",
    ["echo 'source <(postern completion bash)' >> ~/.bashrc # and so on"],
  ],
  [
    'The service is postern 0.0.1 and this is one of another version',
    ['The service is postern 0.0.1 and this is one of', 'another version'],
  ],
])('%s', (text, lines) => {
  expect(wrapProse(text, 50)).toEqual(lines)
  expect(wrapProse(text, 200)).toEqual([text])
})

test('what goes on below begins as far in', () => {
  expect(hangingProse('Choose one: postern org use ORG, or give --org ORG', 8, 40)).toBe(
    'Choose one:\n        postern org use ORG\n        or give --org ORG',
  )
})
