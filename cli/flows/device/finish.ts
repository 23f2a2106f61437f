import type { User } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { CliError, isCancelled } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { adoptSession } from '../auth/sign-in-token.ts'
import type { Done } from '../flow.ts'
import type { Ports } from '../ports.ts'
import type { BrowserTask, Waiting } from '../waiting.ts'
import type { Here } from './here.ts'
import { keepToken, pollUntilDecided, takenCode } from './poll.ts'
import { resumeLine } from './resume-line.ts'
import type { NamedTicket } from './ticket.ts'

export interface FinishOptions {
  readonly title: string
  /** Milliseconds. */
  readonly wait: number
  readonly hasPicture: boolean
  readonly here?: Here | undefined
}

/** Waits for the browser, then keeps the session that comes. The ticket is gone when nothing can come of it any more. */
export async function finishDevice(ports: Ports, named: NamedTicket, options: FinishOptions): Promise<Done<User>> {
  const { server } = named.ticket
  try {
    const token = await tokenOf(ports, named, options)
    const done = await adoptSession(ports, { server, token, isNew: true })
    await ports.tickets.drop(named.name)
    return done
  } catch (error) {
    throw await leave(ports, named, error)
  }
}

async function tokenOf(ports: Ports, named: NamedTicket, options: FinishOptions): Promise<string> {
  const { wait, here } = options
  const until = ports.now() + wait
  const work = (waiting: Waiting) => eitherToken(ports, named, { until, waiting, here })
  // Only a look: there is nothing to be shown.
  if (wait === 0) return work({ signal: new AbortController().signal, say: () => {} })
  return ports.waitFor(taskOf(named, options, until), work)
}

const taskOf = (
  { ticket: { url, userCode, expiresAt } }: NamedTicket,
  { title, hasPicture, here }: FinishOptions,
  until: number,
): BrowserTask => ({
  title,
  url,
  code: userCode,
  opened: here && { code: here.code },
  until: Math.min(until, expiresAt),
  hasPicture,
  isKept: true,
})

interface Awaiting {
  readonly until: number
  readonly waiting: Waiting
  readonly here: Here | undefined
}

/** The session of the printed address or of the page that was opened here: whichever is approved first. */
async function eitherToken(ports: Ports, named: NamedTicket, { until, waiting, here }: Awaiting): Promise<string> {
  const isOver = new AbortController()
  const signal = AbortSignal.any([waiting.signal, isOver.signal])
  const printed = pollUntilDecided(ports, named, { until, waiting: { ...waiting, signal } })
  try {
    return await (here ? Promise.race([printed, tokenFromHere(ports, named, here)]) : printed)
  } finally {
    isOver.abort()
    here?.close()
  }
}

const tokenFromHere = async (ports: Ports, named: NamedTicket, here: Here): Promise<string> =>
  keepToken(ports, named, await here.token())

/** What went wrong, as it is told. Interrupted, or not approved yet: it can be gone on with; else it is over. */
async function leave(ports: Ports, { name }: NamedTicket, error: unknown): Promise<unknown> {
  const { exitCode, code } = toCliError(error)
  if (exitCode === exitCodes.interrupted) return interrupted(resumeLine(name, ports.scope))
  const isEnd = ending.has(exitCode) && code !== takenCode
  if (isCancelled(error) || isEnd) await ports.tickets.drop(name)
  return error
}

const ending: ReadonlySet<number> = new Set([exitCodes.forbidden, exitCodes.signedOut])

const interrupted = (line: string) =>
  new CliError(exitCodes.interrupted, 'Interrupted: nobody is signed in yet', {
    code: 'INTERRUPTED',
    hint: `Go on: ${line}`,
  })
