import { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../shared/errors.ts'
import { type Language, languages } from '../../shared/languages.ts'
import { anyOf, durationText, fill, languageAskedBy, type Words, waitText, wordsOf } from './words.ts'

/** Every text of a catalogue by its path, with the places that it fills. */
function textsIn(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]]
  return Object.entries(value as object).flatMap(([key, inner]) => textsIn(inner, `${path}.${key}`))
}
const placesIn = (text: string): string => (text.match(/\{\w+\}/g) ?? []).toSorted().join(' ')
const shapeOf = (words: Words) =>
  Object.fromEntries(textsIn(words).map(([path, text]) => [path, text === '' ? 'empty' : placesIn(text)]))

const translated = languages.filter((language) => language !== 'en')

describe.each(translated)('%s', (language) => {
  it('says everything that English says, with the same places', () => {
    expect(shapeOf(wordsOf(language))).toEqual(shapeOf(wordsOf('en')))
  })

  it('leaves nothing in English', () => {
    const english = new Map(textsIn(wordsOf('en')))
    const same = textsIn(wordsOf(language)).filter(
      ([path, text]) => english.get(path) === text && /[a-z]{3} /.test(text),
    )
    expect(same).toEqual([])
  })
})

it('speaks only of failures that there are', () => {
  const { password, opened, device } = wordsOf('en')
  const failures = [password, opened, device].flatMap((page) => Object.keys(page.failures))
  expect(failures.filter((name) => !Object.hasOwn(catalogue, name))).toEqual([])
})

it.each<[header: string, language: Language | null]>([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-at', 'de'],
  ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'fr'],
  ['en;q=0.5, es;q=0.9', 'es'],
  ['nl, de;q=0.1', 'de'],
  ['de;q=0, es', 'es'],
  ['nl', null],
  ['*', null],
  ['', null],
  [';;,=q', null],
  ['de'.repeat(5000), null],
])('Accept-Language %s asks for %s', (header, language) => {
  const request = new Request('http://localhost', { headers: { 'accept-language': header } })
  expect(languageAskedBy(new Context(request))).toBe(language)
})

it.each<[language: Language, hour: string, minutes: string, wait: string]>([
  ['en', '1 hour', '90 minutes', '2 minutes'],
  ['de', '1 Stunde', '90 Minuten', '2 Minuten'],
  ['es', '1 hora', '90 minutos', '2 minutos'],
  ['fr', '1 heure', '90 minutes', '2 minutes'],
])('%s counts', (language, ...expected) => {
  const words = wordsOf(language)
  const told = [durationText(words, 3600), durationText(words, 5400), waitText(words, 91)]
  expect(told.map((text) => text.replace(/\s/, ' '))).toEqual(expected)
})

it('names the members of a choice', () => {
  expect([anyOf(wordsOf('en'), ['GitHub', 'Google']), anyOf(wordsOf('de'), ['GitHub', 'Google'])]).toEqual([
    'GitHub or Google',
    'GitHub oder Google',
  ])
})

it('fills places with what is given, never with what that contains', () => {
  expect(fill('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&')
})
