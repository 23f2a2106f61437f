import type { Command, OptionValues } from 'commander'
import type { AuditEventView } from '../../shared/audit.ts'
import type { Context } from '../context.ts'
import {
  actorSummary,
  affectedUserOf,
  detailsOf,
  eventColumns,
  eventText,
  type FetchEvents,
  type TrailListing,
} from '../flows/audit/events.ts'
import { followEvents } from '../flows/audit/list.ts'
import type { Fields } from '../flows/field.ts'
import { pause } from '../flows/waiting.ts'
import { usageError } from '../output/cli-error.ts'
import { outageText, refuseDocument, untilStopped } from './endless.ts'
import { readCommand, showList } from './read-command.ts'

/** The command of a list of audit events, newest first. `--follow` keeps printing new events. */
export const trailCommand = <F extends Fields>(context: Context, trail: TrailListing<F>): Command =>
  readCommand(context, trail, {
    form: 'list',
    run: async (flowContext, values, command) => {
      if (!command.opts()['follow']) return showList(context, trail, { flowContext, values })
      checkEndless(context, command.opts())
      return follow(context, () => trail.ask(flowContext, values))
    },
  }).option('--follow', 'show the last events, then new ones, until Ctrl+C')

/** Runs until the reader closes or the process is interrupted; outages do not end it. */
async function follow(context: Context, asking: () => Promise<FetchEvents>): Promise<void> {
  await untilStopped(context, async (signal) => {
    const following = {
      first: '10',
      pause: (milliseconds: number) => pause(milliseconds, signal),
      onOutage: (fault: Error | undefined) => context.out.warn(outageText(fault)),
    }
    for await (const events of followEvents(await asking(), following)) await show(context, events)
  })
}

function checkEndless(context: Context, { until, cursor, allPages, limit }: OptionValues): void {
  refuseDocument(context, '--follow')
  const ends = Object.entries({
    '--until': until,
    '--cursor': cursor,
    '--all-pages': allPages || undefined,
    '--limit': limit,
  })
  const given = ends.flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (given.length > 0)
    throw usageError(`--follow never ends and cannot be combined with ${given.join(', ')}`, undefined, given)
}

async function show({ out }: Context, events: readonly AuditEventView[]): Promise<void> {
  if (out.style.mode === 'programs') return out.list(events, eventColumns(events), { empty: '' })
  for (const event of events) out.line(lineOf(event), event)
}

/** `2026-11-22T02:00:00.000Z  user-banned  ada@example.com  →  bob@example.com  reason=…  127.0.0.1` */
function lineOf(event: AuditEventView): string {
  const { createdAt, ipAddress } = event
  const about = affectedUserOf(event)
  const parts = [
    createdAt.toISOString(),
    eventText(event),
    actorSummary(event),
    about && `→ ${about}`,
    detailsOf(event),
    ipAddress,
  ]
  return parts.filter(Boolean).join('  ')
}
