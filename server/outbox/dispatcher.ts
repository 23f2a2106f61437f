import { setTimeout as sleep } from 'node:timers/promises'
import { jittered } from '../../shared/jittered.ts'
import { isInvitationOpen } from '../db/invitations.ts'
import { type ClaimedMail, claimMail, deleteMail, keepMailUnsent, parkMail, postponeMail } from '../db/outbox.ts'
import type { Deps } from '../deps.ts'
import { composeMail, UnreadableMail, UnusableTemplate } from '../mail/compose.ts'
import { type MailTransport, mailLease, SendFailure } from '../mail/mail-transport.ts'
import { inOwnSpan } from '../tracing/spans.ts'

/** Sends the mails of the outbox until it is stopped. */
export interface Dispatcher {
  /** Looks for mails now. */
  nudge(): void
  /** Claims no more mails, and waits up to 6 seconds for one that is being sent. */
  stop(): Promise<void>
}

/** Seconds. */
interface DispatcherTimes {
  /** Between two checks of the outbox. */
  readonly poll: number
  /** How long a mail belongs to the process that claimed it. */
  readonly lease: number
  /** Until the second attempt; doubles from there. */
  readonly retry: number
  /** For mails that are being sent when it stops. */
  readonly grace: number
  /** For recording the failure of a mail whose sending was cut off. */
  readonly cut: number
}

interface DispatcherParts extends DispatchParts {
  readonly times?: Partial<DispatcherTimes>
}

const defaultTimes: DispatcherTimes = { poll: 5, lease: mailLease, retry: 30, grace: 5, cut: 1 }

/**
 * Sends the mails of the outbox, which it shares with other processes. Holds no connection and no transaction while
 * sending. Never throws: errors are logged, and the mail is tried again. `times` are in seconds.
 *
 * @example
 * const transport = await createMailTransport(config, log)
 * const dispatcher = transport && startDispatcher({ ...parts, sql, transport })
 * // …
 * await dispatcher?.stop()
 */
export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const times = { ...defaultTimes, ...parts.times }
  const lane = createLane(parts, times)
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    lane.nudge()
    timer = setTimeout(look, jittered(times.poll * 1000)).unref()
  }
  look()
  return {
    nudge: lane.nudge,
    stop: async () => {
      clearTimeout(timer)
      await Promise.race([lane.leave(), sleep(times.grace * 1000, undefined, { ref: false })])
      parts.transport.close()
      // A mail whose sending was cut off is stored as failed. One that cannot be cut off is tried again when its lease
      // ends.
      await Promise.race([lane.leave(), sleep(times.cut * 1000, undefined, { ref: false })])
    },
  }
}

/** Claims and sends until nothing is due, one mail at a time: a killed process repeats at most one mail. */
function createLane(parts: DispatcherParts, { lease, retry }: DispatcherTimes) {
  let running: Promise<void> | undefined
  let isLeaving = false
  let isWanted = false

  async function claim() {
    try {
      return isLeaving ? null : await claimMail(parts.sql, lease)
    } catch (err) {
      parts.log.warn({ err }, 'the outbox cannot be read; it is tried again at the next check')
      return null
    }
  }
  async function run(): Promise<void> {
    while (isWanted && !isLeaving) {
      isWanted = false
      for (let mail = await claim(); mail; mail = await claim()) await dispatch(mail, parts, retry)
    }
  }
  // A mail stored while one check runs is found by the next.
  function nudge(): void {
    isWanted = true
    if (isLeaving) return
    running ??= run().finally(() => {
      running = undefined
      // A nudge arrived just as the run ended.
      if (isWanted && !isLeaving) nudge()
    })
  }
  async function leave(): Promise<void> {
    isLeaving = true
    await running
  }
  return { nudge, leave }
}

interface DispatchParts extends Pick<Deps, 'sql' | 'config' | 'keys' | 'now' | 'log'> {
  readonly transport: MailTransport
}

/**
 * Seconds: the longest wait between two attempts, and the age at which a mail is given up. Before that, at least
 * `minTries` attempts.
 */
const maxDelay = 3600
const giveUpAge = 86_400
const minTries = 8
/** A mail that crashes the process at every attempt is given up after this many. */
const maxTries = 50

/** Sends one claimed mail and stores the result. Never throws. `retry`: seconds to wait after a first failure. */
async function dispatch(mail: ClaimedMail, parts: DispatchParts, retry: number): Promise<void> {
  const { sql, log, transport } = parts
  const { id, kind } = mail
  let isSent: boolean
  try {
    const attributes = { 'postern.mail.kind': kind }
    isSent = await inOwnSpan({ name: 'send mail', kind: 'INTERNAL', attributes }, () => send(mail, parts))
  } catch (error) {
    return postponeOrPark(mail, error, parts, retry)
  }
  const isKept = isSent && transport.keeps
  await persist(mail, () => (isKept ? keepMailUnsent(sql, id) : deleteMail(sql, id)), parts)
  if (!isKept) log.info({ kind, id }, isSent ? 'mail sent' : 'mail dropped: it is out of date')
}

/** Returns false for a mail whose invitation was answered, canceled or has expired: it is not sent any more. */
async function send(mail: ClaimedMail, { sql, config, keys, now, transport }: DispatchParts): Promise<boolean> {
  if (mail.attempts > maxTries) throw new SendFailure('Given up after too many attempts without a result', true)
  const composed = await composeMail(mail, { config, keys, now: now() })
  const { invitationId } = composed
  if (invitationId !== null && !(await isInvitationOpen(sql, invitationId))) return false
  await transport.send(composed)
  return true
}

async function postponeOrPark(mail: ClaimedMail, error: unknown, parts: DispatchParts, retry: number): Promise<void> {
  const { sql, log } = parts
  const { id, kind, attempts, age } = mail
  const reason = reasonOf(error)
  if (isHopeless(error) || (age > giveUpAge && attempts >= minTries)) {
    log.error({ kind, id, attempts, reason }, 'mail given up')
    return persist(mail, () => parkMail(sql, { id, attempts, reason }), parts)
  }
  log.warn({ kind, id, attempts, reason }, 'mail not sent; it will be tried again')
  const delay = jittered(Math.min(maxDelay, retry * 2 ** (attempts - 1)))
  await persist(mail, () => postponeMail(sql, { id, attempts, reason }, delay), parts)
}

// A mail that this process cannot read is not hopeless: another one may have the right secret.
const isHopeless = (error: unknown): boolean => error instanceof SendFailure && error.isPermanent

/** The message of our own errors, but only the name of any other, since its message may hold an address or a token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'thrown value'
  const isOurs = [SendFailure, UnreadableMail, UnusableTemplate].some((ours) => error instanceof ours)
  return isOurs ? error.message : error.name
}

const persistTries = 5

/** Waits through a short outage, since a mail that was sent but not marked as sent would be sent again. */
async function persist(
  { id, kind }: ClaimedMail,
  note: () => PromiseLike<unknown>,
  { log }: DispatchParts,
): Promise<void> {
  for (let tries = 1; tries <= persistTries; tries += 1) {
    try {
      await note()
      return
    } catch (err) {
      if (tries === persistTries)
        log.warn({ kind, id, err }, 'what became of a mail could not be stored; it will be tried again')
      else await sleep(tries * 500)
    }
  }
}
