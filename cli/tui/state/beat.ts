/** What is on the screen is read again no more often, unless something is seen to have changed. In milliseconds. */
const beatTime = 30_000

interface Seen {
  readonly me: unknown
  readonly organizations: unknown
  readonly shownError: unknown
  readonly stale: unknown
}

/** Whether after a poll what is on the screen has to be read again. */
export function isBeat(before: Seen, after: Seen, sinceLast: number): boolean {
  if (after.shownError) return false
  const isBack = before.shownError !== undefined || before.stale !== undefined
  return isBack || after.me !== before.me || after.organizations !== before.organizations || sinceLast >= beatTime
}
