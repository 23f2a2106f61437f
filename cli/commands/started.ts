import type { Context } from '../context.ts'
import { type StartedInBrowser, startedColumns } from '../flows/device/started.ts'
import { orPlan } from './dry-run.ts'
import { reportResult } from './flow-command.ts'

/** Starts what a browser finishes later, and prints its ticket. */
export async function reportStarted(context: Context, begin: () => Promise<StartedInBrowser>): Promise<void> {
  if (context.flags.dryRun) return reportResult(context, await orPlan(() => planStart(begin)))
  const started = await begin()
  const { out } = context
  if (out.style.mode === 'ids') out.text(started.ticket, started)
  else await out.one(started, startedColumns)
}

/** Under --dry-run the first call throws the plan. */
async function planStart(begin: () => Promise<unknown>): Promise<never> {
  await begin()
  throw new TypeError('A dry run has begun to wait for a browser')
}
