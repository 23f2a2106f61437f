import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Connection } from '../client/connection.ts'
import type { Context } from '../context.ts'
import { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { connectForProbe } from '../probe.ts'

/** Milliseconds: enough for a service that first creates its database. */
const usual = 60_000
/** Milliseconds per attempt: a service that is starting could accept a request and never answer it. */
const patience = 5000

export const waitCommand = (context: Context): Command =>
  describeCommand(
    new Command('wait')
      .description('Wait until the service is ready; exit 10 if it is not')
      .action(() => wait(context)),
    {
      form: 'one',
      fields: { url: 'text', ready: 'flag', seconds: 'number' },
      calls: ['/ready'],
      globalFlags: ['--timeout'],
      examples: ['', '--timeout 2m --url https://accounts.example.com', 'postern wait && postern whoami'],
    },
  )

async function wait(context: Context): Promise<void> {
  const { timeout, address } = context.settings
  const longest = timeout.from === '--timeout' ? timeout.value : usual
  const url = address.value.base
  const start = performance.now()
  await untilReady(context, { url, longest, end: AbortSignal.timeout(longest) })
  const seconds = Math.round((performance.now() - start) / 100) / 10
  context.out.line(`${url} is ready`, { url, ready: true, seconds })
}

interface Limits {
  readonly url: string
  /** In milliseconds. */
  readonly longest: number
  readonly end: AbortSignal
}

async function untilReady(context: Context, { url, longest, end }: Limits): Promise<void> {
  const { host, out } = context
  const signal = AbortSignal.any([host.signal, end])
  const connection = await connectForProbe(context, { from: 'wait', patience: Math.min(longest, patience), signal })
  let told: string | undefined
  for (let pause = 100; ; pause = Math.min(pause * 2, 1000)) {
    const reason = await whyNotReady(connection, end)
    host.signal.throwIfAborted()
    if (reason === undefined) return
    if (end.aborted) throw notReady(url, longest, told ?? reason)
    if (reason !== told) out.note(`Waiting for ${url}, ${longest / 1000} s at most: ${reason}`)
    told = reason
    await sleep(pause, undefined, { signal }).catch(() => host.signal.throwIfAborted())
  }
}

/** Why the service is not ready yet. Throws errors that waiting will not fix. */
async function whyNotReady({ api }: Connection, end: AbortSignal): Promise<string | undefined> {
  try {
    const { ready } = await api.service.ready()
    return ready ? undefined : 'It is not ready'
  } catch (error) {
    if (end.aborted) return 'It does not answer'
    const { exitCode, message } = toCliError(error)
    // A proxy in front of a starting service answers with its own errors, or with not found.
    const isForeign = exitCode === exitCodes.server || exitCode === exitCodes.notFound
    if (isForeign || Object(error).isTransient === true) return message
    throw error
  }
}

const notReady = (url: string, longest: number, reason: string) =>
  new CliError(exitCodes.network, `${url} is not ready after ${longest / 1000} s: ${reason}`, {
    code: 'NOT_READY',
    hint: 'Check the address, and that the service runs. To wait longer: postern wait --timeout 5m',
  })
