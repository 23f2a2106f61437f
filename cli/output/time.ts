const steps: readonly (readonly [seconds: number, long: string, short: string])[] = [
  [86_400, 'day', 'd'],
  [3_600, 'hour', 'h'],
  [60, 'minute', 'm'],
  [1, 'second', 's'],
]

/** `3 minutes ago`, `in 6 days`, `now`: for sentences and details. Scripts get ISO 8601. */
export const relativeTime = (date: Date, now: number): string =>
  distance(date, now, (count, unit) => `${count} ${unit}${count === 1 ? '' : 's'}`, ' ago')

/** `3m`, `in 6d`, `now`: for lists and tables. Past times have no mark, since most of those shown are past. */
export const shortTime = (date: Date, now: number): string =>
  distance(date, now, (count, _, unit) => `${count}${unit}`, '')

/** `2026-12-01 13:42 UTC`. */
export const absoluteTime = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Both the relative and the absolute time. */
export const fullTime = (date: Date, now = Date.now()): string => `${relativeTime(date, now)}  ·  ${absoluteTime(date)}`

type Say = (count: number, long: string, short: string) => string

function distance(date: Date, now: number, say: Say, past: string): string {
  const seconds = Math.round((date.getTime() - now) / 1000)
  // Past times are rounded down: 3 hours ago until it is 4. Future times are rounded to the nearest, so that `in 7
  // days` does not turn into 6 a second later.
  const count = (size: number) => (seconds < 0 ? Math.floor(-seconds / size) : Math.round(seconds / size))
  const step = steps.find(([size]) => count(size) >= 1 && Math.abs(seconds) >= size * 0.95)
  if (!step) return 'now'
  const [size, long, short] = step
  const text = say(count(size), long, short)
  return seconds < 0 ? text + past : `in ${text}`
}

/** `4:59`, `1:02:03`: the remaining milliseconds as a countdown. */
export function clockText(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const parts = hours > 0 ? [hours, twoDigits(minutes)] : [minutes]
  return [...parts, twoDigits(rest)].join(':')
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')
