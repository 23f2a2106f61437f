import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'

type LogSettings = Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'> & Partial<Pick<Config, 'LOG_TIME' | 'LOG_LEVEL_NAMES'>>

/**
 * A pino logger: JSON lines to stderr, or to `destination`. At a terminal it writes readable lines, unless LOG_FORMAT
 * says otherwise. Passwords, tokens, cookies and statement parameters are never written.
 *
 * @example
 * const log = await createLog({ LOG_LEVEL: 'warn', LOG_FORMAT: 'json' })
 */
export async function createLog(
  { LOG_LEVEL, LOG_FORMAT, LOG_TIME, LOG_LEVEL_NAMES }: LogSettings,
  destination?: DestinationStream,
): Promise<Logger> {
  // Whatever the format: from the first use of this on, a write to a pipe that is full fails instead of waiting.
  const { isTTY } = process.stderr
  const isPretty = LOG_FORMAT ? LOG_FORMAT === 'pretty' : isTTY
  const tellLost = (lost: number) => log.warn({ lost }, 'lines of this log are lost, since it could not be written')
  const log = pino(
    {
      level: LOG_LEVEL,
      base: null,
      ...(LOG_TIME === 'iso' ? { timestamp: stdTimeFunctions.isoTime } : {}),
      ...(LOG_LEVEL_NAMES ? { formatters: { level: (level: string) => ({ level }) } } : {}),
      redact: {
        paths: ['*.password', '*.token', '*.cookie', '*.authorization', 'password', 'token'],
        censor: '(hidden)',
      },
      serializers: { err: describeError },
    },
    destination ?? (isPretty ? await prettyStream(tellLost) : errorStream(tellLost)),
  )
  ownLogs.add(log)
  return log
}

const ownLogs = new WeakSet<Logger>()

/**
 * The logger for lines of named fields, none of which is a secret: they need no redaction, which takes longer than the
 * line. An application's own logger keeps its rules.
 */
export const plainLog = (log: Logger): Logger => (ownLogs.has(log) ? log.child({}, { redact: [] }) : log)

type TellLost = (lines: number) => void

async function prettyStream(tellLost: TellLost): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty')
  const toText = prettyFactory({ ignore: 'hostname,pid', translateTime: 'SYS:HH:MM:ss' })
  const stream = errorStream(tellLost)
  return { write: (line) => void stream.write(toText(line)) }
}

/** The bytes of lines that wait while stderr cannot be written. Later ones are lost. */
const waitingBytes = 1_000_000
/** A pipe takes so many bytes as a whole, or not at all (POSIX), so that lines of several workers do not mix. */
const maxWrite = 4096
/** Milliseconds until they are tried again, also where no other line comes. */
const nextTry = 100

/**
 * stderr. Neither a full disk nor a pipe whose reader stands still fails a request, holds it up or ends the process: lines
 * wait until there is room, and then a line says how many were lost.
 */
function errorStream(tellLost: TellLost) {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: waitingBytes, maxWrite, retryEAGAIN: () => false })
  let lost = 0
  let isWaiting = false
  const tryAgain = () => {
    isWaiting = false
    stream.write('')
  }
  const tell = () => {
    tellLost(lost)
    lost = 0
  }
  stream.on('error', () => {
    if (!isWaiting) setTimeout(tryAgain, nextTry).unref()
    isWaiting = true
  })
  stream.on('drop', () => {
    if (lost === 0) stream.once('drain', tell)
    lost += 1
    // A line that finds no room is not written, and nothing before it either, unless something shorter comes.
    stream.write('')
  })
  return stream
}

/**
 * What helps to find a fault, without the statement parameters that the driver's error contains. A failure says only what
 * callers are told, so its cause is described; without one, nothing went wrong that a stack would show.
 */
function describeError(error: unknown): object | undefined {
  if (error instanceof Failure) return describeError(error.cause) ?? { code: error.failure, message: error.message }
  if (!(error instanceof Error))
    return error === undefined ? undefined : { message: JSON.stringify(error).slice(0, 500) }
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string }
  return {
    type: error.name,
    code,
    constraint,
    message: harmless(error.message.slice(0, 500)),
    stack: harmless(error.stack?.slice(0, 4000)),
  }
}

/** Text may come from a client, and the pretty format would write its control characters to the terminal. */
const harmless = (text = ''): string => text.replaceAll(/[^\n\x20-\x7e\xa0-\uffff]/g, ' ')
