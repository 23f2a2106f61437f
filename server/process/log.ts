import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from '../config.ts'
import { DatabaseOutage } from '../db/database-outage.ts'

type LogSettings = Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'> & Partial<Pick<Config, 'LOG_TIME' | 'LOG_LEVEL_NAMES'>>

/**
 * A pino logger: JSON lines to stderr, or to `destination`; readable lines for a person at a terminal, unless LOG_FORMAT says
 * otherwise. Passwords, tokens, cookies and statements' parameters are never written.
 *
 * @example
 * const log = await createLog({ LOG_LEVEL: 'warn', LOG_FORMAT: 'json' })
 */
export async function createLog(
  { LOG_LEVEL, LOG_FORMAT, LOG_TIME, LOG_LEVEL_NAMES }: LogSettings,
  destination?: DestinationStream,
): Promise<Logger> {
  const isPretty = LOG_FORMAT ? LOG_FORMAT === 'pretty' : Boolean(process.stderr.isTTY)
  return pino(
    {
      level: LOG_LEVEL,
      base: null,
      ...(LOG_TIME === 'iso' ? { timestamp: stdTimeFunctions.isoTime } : {}),
      formatters: {
        ...(LOG_LEVEL_NAMES ? { level: (level: string) => ({ level }) } : {}),
        ...(isPretty ? { log: tellOutage } : {}),
      },
      redact: {
        paths: ['*.password', '*.token', '*.cookie', '*.authorization', 'password', 'token'],
        censor: '(hidden)',
      },
      serializers: { err: describeError },
    },
    destination ?? (isPretty ? await prettyStream() : pino.destination({ dest: 2, sync: true })),
  )
}

async function prettyStream(): Promise<DestinationStream> {
  const { PinoPretty } = await import('pino-pretty')
  return PinoPretty({
    destination: 2,
    sync: true,
    ignore: 'hostname,pid,outage',
    translateTime: 'SYS:HH:MM:ss',
    messageFormat: ({ msg, outage }) => harmless([msg, outage].filter(Boolean).join(': ')),
  })
}

/** Puts the whole of an outage where a person reads it: into the line, not below it. */
function tellOutage({ err, ...fields }: Record<string, unknown>): Record<string, unknown> {
  const outage = outageIn(err)
  if (!outage) return err === undefined ? fields : { ...fields, err }
  const { message, code, check } = outage
  return { ...fields, outage: `${message} (${code})${check === undefined ? '' : `; ${check}`}` }
}

/** What the database itself says, also where it has become somebody's failure. */
const outageIn = (error: unknown): DatabaseOutage | undefined =>
  [error, Object(error).cause].find((one) => one instanceof DatabaseOutage)

/** What helps to find a fault, but never a statement's parameters: the driver's error holds them. */
function describeError(error: unknown) {
  const outage = outageIn(error)
  if (outage) {
    const { name: type, code, check } = outage
    return { type, code, message: harmless(outage.message.slice(0, 500)), check }
  }
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

/** A text may hold what somebody sent, and the pretty format would write its control characters to the terminal. */
const harmless = (text = ''): string => text.replaceAll(/[^\n\x20-\x7e\xa0-\uffff]/g, ' ')
