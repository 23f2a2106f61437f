const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** A hundred years: anything longer is a typo. */
const longest = 3_155_760_000

/**
 * Parses `90s`, `15m`, `12h`, `7d` or `2w` as seconds. Undefined for anything else, zero, or more than a hundred years.
 * Without a unit, one person means days and another hours: `24` is no duration.
 */
export function parseSeconds(text: string): number | undefined {
  const parts = /^(\d{1,10})([smhdw])$/.exec(text)
  if (!parts) return undefined
  const seconds = Number(parts[1]) * (units[parts[2] ?? ''] ?? 1)
  return seconds > 0 && seconds <= longest ? seconds : undefined
}

/** Parses `2026-12-31` (midnight UTC) or a full ISO 8601 time. */
export function parseDate(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)) return undefined
  const date = new Date(text)
  return isDay(text.slice(0, 10)) && Number.isFinite(date.getTime()) ? date : undefined
}

/** JavaScript reads the 31st of February as a day of March. */
export function isDay(text: string): boolean {
  const read = new Date(text)
  return Number.isFinite(read.getTime()) && read.toISOString().startsWith(text)
}

/** Parses a date, or a duration before `now` (milliseconds since 1970). */
export function parseMoment(text: string, now: number): Date | undefined {
  const seconds = parseSeconds(text)
  return seconds === undefined ? parseDate(text) : new Date(now - seconds * 1000)
}

/** In seconds. */
interface Bounds {
  readonly least?: number
  readonly most: number
}

export function durationProblem(text: string, name: string, { least = 1, most }: Bounds): string | undefined {
  const seconds = parseSeconds(text)
  if (text === '') return undefined
  if (seconds === undefined) return `${name} must be a duration with its unit, like 90s, 15m, 12h or 7d`
  if (seconds > most) return `${name} is ${most % 86_400 === 0 ? `${most / 86_400}d` : `${most / 3600}h`} at most`
  return seconds < least ? `${name} is ${least}s at least` : undefined
}

/** How long a secret stays valid after its successor was made: thirty days at most. */
export const overlapField = {
  kind: 'text',
  flag: '--overlap <time>',
  example: '24h',
  key: 'overlap',
  isOptional: true,
  check: (text: string, name: string) => (text === '0' ? undefined : durationProblem(text, name, { most: 2_592_000 })),
} as const

export const momentProblem = (text: string, name: string): string | undefined =>
  text === '' || parseMoment(text, 0) !== undefined
    ? undefined
    : `${name} must be a date like 2026-12-31, a time like 2026-12-31T12:00:00Z, or how long ago, like 7d`
