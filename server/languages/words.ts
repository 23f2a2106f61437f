import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { type RedirectError, redirectErrors } from '../../shared/errors.ts'
import { knownLanguage, type Language, languages } from '../../shared/languages.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }

/** All that pages and mails say in one language. `{name}` is a place that is filled in. */
export type Words = typeof en & {
  readonly language: Language
  readonly redirect: Readonly<Record<RedirectError, string>>
}

const catalogues: Readonly<Record<Language, Words>> = {
  en: { ...en, redirect: redirectErrors, language: 'en' },
  de: { ...de, language: 'de' },
  es: { ...es, language: 'es' },
  fr: { ...fr, language: 'fr' },
}

export const wordsOf = (language: Language): Words => catalogues[language]

interface LanguageSettings {
  readonly DEFAULT_LANGUAGE: Language
}
interface Asker {
  readonly language: Language | null
}

export interface WordSettings extends LanguageSettings {
  readonly BANNED_USER_MESSAGE?: string | undefined
}

/** The words for whoever asks. `own`: the language of the person, if it is known who they are. */
export function wordsFor(settings: WordSettings, { language }: Asker, own?: string | null): Words {
  const words = wordsOf(knownLanguage(own) ?? language ?? settings.DEFAULT_LANGUAGE)
  const { BANNED_USER_MESSAGE: banned } = settings
  return banned === undefined ? words : { ...words, redirect: { ...words.redirect, banned } }
}

/** What is kept of the language in which somebody signs up: one that the service would not have chosen itself. */
export const languageToKeep = ({ DEFAULT_LANGUAGE }: LanguageSettings, { language }: Asker): Language | null =>
  language === DEFAULT_LANGUAGE ? null : language

type Values = Readonly<Record<string, string | number>>

/** Fills the places of a text. One that has no value stays empty. */
export const fill = (text: string, values: Values): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** `1 hour`, `90 minutes`: the largest unit that is exact. */
export function durationText({ language }: Pick<Words, 'language'>, seconds: number): string {
  const [size, unit] = units.find(([length]) => seconds >= length && seconds % length === 0) ?? [1, 'second']
  return unitText(language, seconds / size, unit)
}

/** A wait, rounded up, so that somebody who returns then is let in. */
export const waitText = ({ language }: Words, seconds = 10): string =>
  seconds <= 90
    ? unitText(language, Math.ceil(seconds), 'second')
    : unitText(language, Math.ceil(seconds / 60), 'minute')

const units = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

const unitText = (language: Language, count: number, unit: string): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', useGrouping: false }).format(count)

/** `GitHub or Google` */
export const anyOf = ({ language }: Words, names: readonly string[]): string =>
  new Intl.ListFormat(language, { type: 'disjunction' }).format(names)

/** The best of our languages for whoever asks (RFC 9110, 12.5.4). Null without a preference for one of them. */
export function languageAskedBy(c: Context): Language | null {
  const found = accepts(c, { header: 'Accept-Language', supports: [...languages], default: '', match: matchOf })
  return languages.find((language) => language === found) ?? null
}

/** `de-AT` is answered in `de`. */
const matchOf: NonNullable<Parameters<typeof accepts>[1]['match']> = (accepted, { supports }) =>
  accepted
    .filter(({ q }) => q > 0)
    .toSorted((one, other) => other.q - one.q)
    .map(({ type }) => type.toLowerCase().split('-')[0] ?? '')
    .find((language) => supports.includes(language)) ?? ''
