import type { Command } from 'commander'
import type { AuditEventView } from '../../../shared/audit.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Context } from '../../context.ts'
import { actorOf, concernedOf, detailsOf, eventColumns, queryOf } from '../../flows/audit/events.ts'
import { followEvents } from '../../flows/audit/follow.ts'
import { askAll, auditList } from '../../flows/audit/list.ts'
import type { ValuesOf } from '../../flows/field.ts'
import { pause } from '../../flows/pause.ts'
import type { Ports } from '../../flows/ports.ts'
import { usageError } from '../../output/cli-error.ts'
import { lookCommand, showList } from '../look-command.ts'

type Values = ValuesOf<typeof auditList.fields>

export const auditListCommand = (context: Context): Command =>
  lookCommand(context, auditList, {
    form: 'list',
    run: (ports, values, command) =>
      command.opts()['follow'] ? follow(context, ports, values) : showList(context, auditList, { ports, values }),
  }).option('--follow', 'the last ones, and what comes, until Ctrl+C')

/** To the end of whoever reads, or of this process; no outage ends it. */
async function follow(context: Context, ports: Ports, values: Values): Promise<void> {
  checkEndless(context, values)
  const { host, out } = context
  const closed = new AbortController()
  // The reader has seen enough: that is how it ends.
  host.stdout.once('error', () => closed.abort())
  const signal = AbortSignal.any([host.signal, closed.signal])
  const following = {
    query: queryOf(values, ports.now()),
    first: '10',
    pause: (milliseconds: number) => pause(milliseconds, signal),
    onOutage: (fault: Error | undefined) =>
      out.warn(fault ? `${fault.message}; going on when it answers` : 'It answers again'),
  }
  try {
    for await (const events of followEvents(await askAll(ports, values), following)) await show(context, events)
  } catch (error) {
    // There is no other way to end it, and nothing to say about it.
    if (host.signal.aborted) context.exitCode = exitCodes.interrupted
    else if (!closed.signal.aborted) throw error
  }
}

function checkEndless({ out }: Context, { until, cursor, allPages, limit }: Values): void {
  if (out.style.mode === 'json') throw usageError('--json needs an end, which --follow has not', 'Use --ndjson')
  const ends = Object.entries({
    '--until': until,
    '--cursor': cursor,
    '--all-pages': allPages || undefined,
    '--limit': limit,
  })
  const given = ends.flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (given.length > 0) throw usageError(`--follow has no end: it goes without ${given.join(', ')}`, undefined, given)
}

async function show({ out }: Context, events: readonly AuditEventView[]): Promise<void> {
  if (out.style.mode === 'programs') return out.list(events, eventColumns, { empty: '' })
  for (const event of events) out.line(lineOf(event), event)
}

/** `2026-11-22T02:00:00.000Z  user-banned  ada@example.com  →  bob@example.com  reason=…  127.0.0.1` */
function lineOf(event: AuditEventView): string {
  const { createdAt, event: name, ipAddress } = event
  const about = concernedOf(event)
  const parts = [createdAt.toISOString(), name, actorOf(event), about && `→ ${about}`, detailsOf(event), ipAddress]
  return parts.filter(Boolean).join('  ')
}
