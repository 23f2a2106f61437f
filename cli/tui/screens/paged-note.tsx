import { countOf } from '../../flows/resource.ts'
import { countText } from '../../output/words.ts'
import { Line, type Span } from '../components/primitives.tsx'
import type { ListControl } from '../hooks/use-list.ts'
import type { Pages } from '../hooks/use-pages.ts'
import { mostRows } from '../state/paged-list.ts'

interface PagedNoteProps {
  readonly noun: string
  readonly pages: Pages
  /** Shown behind it. */
  readonly more?: string | undefined
}

/** How much of a list is loaded, with the command that lists the same. */
export function PagedNote({ noun, pages, more }: PagedNoteProps) {
  const { narrowing, command } = pages
  const spans: Span[] = [
    ...(narrowing.problem ? [{ text: `${narrowing.problem}   `, tone: 'warning' } as const] : []),
    { text: [pages.isRead && loadedText(noun, pages), more, command].filter(Boolean).join('   '), tone: 'muted' },
  ]
  return <Line spans={spans} />
}

/** `200 of 5,001 users, newest first`, or `the newest 200 events, more at the end` when nobody counts them. */
function loadedText(noun: string, { loaded, total, isMore, isReading, narrowing }: Pages): string {
  const { rest, values } = narrowing
  const wanted = Object.values(values).includes(rest) ? ` with “${rest}”` : ''
  const all = countOf({ noun }, total ?? loaded)
  if (isReading) return `${countText(loaded)} loaded, reading on…`
  if (loaded >= mostRows) return `the first ${countText(loaded)} of ${all}${wanted}: / narrows the list`
  if (total !== null) return `${loaded < total ? `${countText(loaded)} of ` : ''}${all}${wanted}, newest first`
  return isMore ? `the newest ${all}, more at the end` : `${all}, newest first`
}

/** A list that reads on when somebody moves towards its end. */
export function readingOn<T>(list: ListControl<T>, height: number, pages: Pages | undefined): ListControl<T> {
  if (!pages?.isMore) return list
  const { intents, pointer, line, items } = list
  const after = (by: number) => void (line + by >= items.length - height && pages.readOn())
  const withReading = (intent: 'down' | 'page-down' | 'last' | 'next-match', by: number) => ({
    [intent]: () => {
      intents[intent]?.()
      after(by)
    },
  })
  return {
    ...list,
    intents: {
      ...intents,
      ...withReading('down', 1),
      ...withReading('page-down', height),
      ...withReading('last', items.length),
      ...withReading('next-match', 1),
    },
    pointer: {
      ...pointer,
      move: (by) => {
        pointer.move(by)
        after(by)
      },
    },
  }
}
