const steps: readonly [seconds: number, unit: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** `3 minutes ago`, `in 6 days`, `now`: for people; scripts get ISO 8601. */
export function relativeTime(date: Date, now: number): string {
  const seconds = Math.round((date.getTime() - now) / 1000)
  const distance = Math.abs(seconds)
  const step = steps.find(([size]) => distance >= size)
  if (!step) return 'now'
  const count = Math.floor(distance / step[0])
  const text = `${count} ${step[1]}${count === 1 ? '' : 's'}`
  return seconds < 0 ? `${text} ago` : `in ${text}`
}
