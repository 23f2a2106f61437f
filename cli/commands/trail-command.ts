import type { Command } from 'commander'
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
import { changedError, usageError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { outageText, refuseEnds, untilStopped } from './endless.ts'
import { keepOrganization } from './flow-context.ts'
import { readCommand, showList } from './read-command.ts'

/** The command of a list of audit events, newest first. `--follow` keeps printing new events. */
export const trailCommand = <F extends Fields>(context: Context, trail: TrailListing<F>): Command =>
  readCommand(context, trail, {
    form: 'list',
    run: async (flowContext, values, command) => {
      const { follow: isFollowed, cursorFile } = command.opts<FollowFlags>()
      if (isFollowed) {
        const { until, cursor, allPages, limit } = command.opts()
        refuseEnds(context, { until, cursor, 'all-pages': allPages || undefined, limit })
        return follow(context, () => trail.ask(keepOrganization(flowContext), values), cursorFile)
      }
      if (cursorFile !== undefined) throw usageError('--cursor-file is for --follow', undefined, ['--cursor-file'])
      return showList(context, trail, { flowContext, values })
    },
  })
    .option('--follow', 'show the last events, then new ones, until Ctrl+C')
    .option('--cursor-file <file>', 'with --follow: keep in this file how far it came, and go on there the next time')

interface FollowFlags {
  readonly follow?: boolean
  readonly cursorFile?: string
}

/** Runs until the reader closes or the process is interrupted; outages do not end it. */
async function follow(context: Context, asking: () => Promise<FetchEvents>, file: string | undefined): Promise<void> {
  const position = file === undefined ? undefined : (await import('./cursor-file.ts')).cursorFile(file)
  const from = position?.read()
  await untilStopped(context, async (signal) => {
    const ask = await asking()
    const following = {
      first: '10',
      from,
      // Only what stdout took counts: after a crash events come twice rather than never.
      ...(position && { onPosition: position.write }),
      pause: (milliseconds: number) => pause(milliseconds, signal),
      onOutage: (fault: Error | undefined) => context.out.warn(outageText(fault)),
    }
    const asked: FetchEvents = (query) => ask(query).catch((error: unknown) => explained(error, file))
    for await (const events of followEvents(asked, following)) {
      await show(context, events)
      await position?.mayGoOn(context.host.stdout, signal)
    }
  })
}

/** The service refuses a position that it did not give, and the file would give it again. */
function explained(error: unknown, file: string | undefined): never {
  const refusal = toCliError(error)
  if (file !== undefined && refusal.code === 'CURSOR_OF_ANOTHER_DATABASE')
    throw changedError(refusal, {
      hint: `Remove ${file} and start again. Then run the same command with --since TIME instead of --follow and --cursor-file, TIME being that of the backup`,
    })
  if (file === undefined || refusal.code !== 'VALIDATION_ERROR') throw error
  throw usageError(
    `--cursor-file: ${file} holds no position of a trail`,
    'To start with the latest events, remove it',
    ['--cursor-file'],
  )
}

async function show({ out }: Context, events: readonly AuditEventView[]): Promise<void> {
  if (events.length === 0) return
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
