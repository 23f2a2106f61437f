import * as z from 'zod'
import { parseConfig } from '../../../server/config.ts'
import { providers } from '../../../server/providers/providers.ts'
import { spellDuration } from '../../../server/settings/fields.ts'
import { defaultTextOf } from '../../../server/settings/names.ts'
import type { RateLimits } from '../../../server/settings/rate-limits.ts'
import { SettingsSchema } from '../../../server/settings/schema.ts'
import { providerDisplayName } from '../../../shared/providers.ts'
import { limitWords } from './limit-words.ts'
import { code, table } from './markdown.ts'
import { providerOptionWords, settingGroups } from './setting-words.ts'

/** A table for each group: name, values, default, meaning. */
export const settingsTable = (): string =>
  Object.entries(settingGroups)
    .map(([title, settings]) => `### ${title}\n\n${groupTable(settings)}`)
    .join('\n\n')

const groupTable = (settings: object): string =>
  table(
    ['Setting', 'Values', 'Default', 'Meaning'],
    Object.entries(settings).map(([name, meaning]) => {
      const schema = Reflect.get(SettingsSchema.shape, name) as z.ZodType
      return [code(name), valuesOf(schema), defaultOf(name), String(meaning)]
    }),
  )

/** What is allowed, from the schema: bounds, choices, or what its refusal expects. */
function valuesOf(schema: z.ZodType): string {
  const expected = schema.safeParse('\u0000').error?.issues[0]?.message ?? ''
  const { minimum, maximum } = z.toJSONSchema(schema, { unrepresentable: 'any' })
  if (minimum !== undefined && maximum !== undefined) {
    const show = expected.startsWith('a duration') ? spellDuration : (number: number) => number.toLocaleString('en')
    return `${show(minimum)} to ${show(maximum)}`
  }
  if (expected.startsWith('on, off')) return '`on`, `off`'
  const { enum: choices } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  if (choices) return choices.map((choice) => code(String(choice))).join(', ')
  return Array.isArray(schema.safeParse(',').data) ? 'list' : 'text'
}

function defaultOf(name: string): string {
  const text = defaultTextOf(name) ?? ''
  return text && code(text.replaceAll(',', ', '))
}

/** The settings of single providers. */
export const providerOptionsTable = (): string =>
  table(
    ['Setting', 'Values', 'Meaning'],
    providers.flatMap(({ id, options = {} }) =>
      Object.entries(options).map(([key, { expected }]) => {
        const name = `${id.toUpperCase()}_${key}`
        return [code(name), expected, providerOptionWords[name] ?? '']
      }),
    ),
  )

/** Every provider, with its id and what it is asked for. */
export const providersTable = (): string =>
  table(
    ['Provider', 'Id', 'Scopes that are asked for'],
    providers.map((one) => [providerDisplayName(one.id), code(one.id), one.scopes.map(code).join(' ')]),
  )

export const limitsTable = (): string =>
  table(
    ['Limit', 'Default', 'What it counts'],
    Object.entries(parseConfig({}).RATE_LIMITS).map(([name, { max, window }]) => [
      code(name),
      `${max.toLocaleString('en')} in ${spellDuration(window)}`,
      limitWords[name as keyof RateLimits],
    ]),
  )
