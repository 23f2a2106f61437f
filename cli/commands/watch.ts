import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { changesBetween, itemsByKey, type KeyedItems } from '../flows/list-changes.ts'
import { transientError } from '../flows/transient-error.ts'
import { pause } from '../flows/waiting.ts'
import type { Column } from '../output/cell.ts'
import { usageError } from '../output/cli-error.ts'
import { parseDuration } from '../settings/duration.ts'
import { outageText, refuseDocument, untilStopped } from './endless.ts'
import type { Look, Viewer } from './viewer.ts'

/** Milliseconds. */
const [usualInterval, shortestInterval, longestOutage] = [2000, 500, 30_000]

/** Adds the flag of a list that can be watched. */
export const addWatchFlag = (command: Command): Command =>
  command.option('--watch [interval]', 'show the list again whenever it changes, until Ctrl+C; looks every 2s, or =10s')

/** The interval in milliseconds; undefined if the list is shown only once. */
export function watchInterval(context: Context, command: Command): number | undefined {
  const { watch } = command.opts<{ readonly watch?: string }>()
  if (watch === undefined) return undefined
  refuseDocument(context, '--watch')
  if (context.out.style.mode === 'ids')
    throw usageError('--quiet cannot be combined with --watch', 'Use --ndjson --json=change,id', ['--quiet'])
  const interval = watch === '' ? usualInterval : parseDuration(watch)
  if (interval === undefined || interval < shortestInterval)
    throw usageError(`--watch takes a duration from 500ms, not ${watch}`, 'Example: --watch=10s', ['--watch'])
  return interval
}

interface Watched<T> {
  readonly look: () => Promise<Look<T>>
  /** The field that identifies an item; default: `id`. */
  readonly id: string | undefined
  readonly interval: number
}

/** Looks at the list until it is stopped. Outages do not end it. */
export async function watchList<T extends object>(context: Context, { look, id, interval }: Watched<T>): Promise<void> {
  await untilStopped(context, async (signal) => {
    // The first look fails like the list itself.
    const first = await look()
    const viewer = await viewerFor<T>(context, { id, interval })
    try {
      await viewer.show(first)
      let wait = interval
      let isOut = false
      for (;;) {
        await pause(wait, signal)
        const next = await look().catch(transientError)
        const fault = 'items' in next ? undefined : next
        if (isOut !== (fault !== undefined)) viewer.outage(fault)
        isOut = fault !== undefined
        wait = isOut ? Math.min(wait * 2, Math.max(longestOutage, interval)) : interval
        if ('items' in next) await viewer.show(next)
      }
    } finally {
      viewer.close()
    }
  })
}

async function viewerFor<T extends object>(
  context: Context,
  { id, interval }: Pick<Watched<T>, 'id' | 'interval'>,
): Promise<Viewer<T>> {
  if (context.out.style.mode !== 'people') return changeLines(context, id)
  // Measuring text is slow to load, so it is loaded only for people.
  const { liveTable } = await import('./live-table.ts')
  return liveTable(context, interval)
}

/** A line for each change; at first for each item. */
function changeLines<T extends object>({ out }: Context, id: string | undefined): Viewer<T> {
  let before: KeyedItems<T> = new Map()
  let told: string | undefined
  return {
    show: async ({ items, columns, note }) => {
      const now = itemsByKey(items, id)
      const lines = changesBetween(before, now).map(({ change, item }) => ({ change, ...item }))
      before = now
      if (lines.length > 0) await out.list(lines, [changeColumn, ...columns], { empty: '' })
      if (note !== undefined && note !== told) out.note(note)
      told = note
    },
    outage: (fault) => out.warn(outageText(fault)),
    close: () => {},
  }
}

const changeColumn: Column<{ readonly change: string }> = { header: 'Change', value: ({ change }) => change }
