import * as z from 'zod'

const units = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Accepts seconds, or `30s 15m 48h 7d`. The value is in seconds. */
export const duration = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}[smhd]?$/, 'a duration in seconds, or like 30s, 15m, 48h, 7d')
    .transform((text) => {
      const unit = text.at(-1) as keyof typeof units
      return unit in units ? Number(text.slice(0, -1)) * units[unit] : Number(text)
    })
    .pipe(
      z
        .number()
        .min(minimum, `at least ${spellDuration(minimum)}`)
        .max(maximum, `at most ${spellDuration(maximum)}`),
    )

/** 5400 → `90m`: in the largest unit that it is a whole number of. */
export function spellDuration(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((name) => seconds > 0 && seconds % units[name] === 0) ?? 's'
  return `${seconds / units[unit]}${unit}`
}

/** `on`, `off`, `true` or `false`. */
export const flag = z
  .enum(['on', 'off', 'true', 'false'], { error: 'on, off, true or false' })
  .transform((text) => text === 'on' || text === 'true')

export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .pipe(z.number().min(minimum, `at least ${minimum}`).max(maximum, `at most ${maximum}`))

/** A server's address with a login, which is decoded where it is used. */
export const loginAddress = (protocol: RegExp, error: string) =>
  z
    .url({ protocol, error, abort: true })
    .refine(isDecodable, 'an address with %25 in place of each % of its user name and password')

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** Comma-separated; empty entries are ignored. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
)

/** What is wrong in a setting that is an object, as a sentence. `known`: the names that its part may have. */
export function issueSentence(
  setting: string,
  { path, message, ...issue }: z.core.$ZodIssue,
  known: readonly string[],
): string {
  const place = [setting, ...path].join('.')
  if (issue.code === 'unrecognized_keys') return `${place} sets ${issue.keys.join(', ')}: expected ${known.join(', ')}`
  return `${place}: expected ${message.replace(/^Invalid input: expected /, '')}`
}
