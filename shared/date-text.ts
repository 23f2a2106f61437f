const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** The text of `date.toISOString()`, in a fifth of its time: dates are much of what an answer costs. */
export function dateText(date: Date): string {
  const time = date.getTime()
  if (Number.isNaN(time)) return date.toISOString()
  const days = Math.floor(time / day)
  const rest = time - days * day
  const [hours, minutes, seconds] = [rest / hour, (rest % hour) / minute, (rest % minute) / second]
  return `${startOf(days)}${two(hours)}:${two(minutes)}:${two(seconds)}.${String(rest % second).padStart(3, '0')}Z`
}

/** How texts begin, by days since 1970: the dates of many answers are of the same few days. */
const starts = new Map<number, string>()
const mostStarts = 1000

function startOf(days: number): string {
  const known = starts.get(days)
  if (known !== undefined) return known
  if (starts.size >= mostStarts) starts.clear()
  const start = new Date(days * day).toISOString().replace(/T.*/, 'T')
  starts.set(days, start)
  return start
}

const digits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const two = (value: number): string => digits[Math.trunc(value)] ?? ''
