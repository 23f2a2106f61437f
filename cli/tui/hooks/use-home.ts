import { useCallback, useEffect, useState } from 'react'
import type { SessionView } from '../../../shared/entities.ts'
import { type Asked, type HomeAnswers, type HomeView, isSettled, seenUntil } from '../home/notices.ts'
import { type Asker, askerOf, askPart, type HomeParts, type PartName } from '../home/parts.ts'
import { noteVisit, seenBefore } from '../home/visit.ts'
import type { TuiConnection } from '../ports.ts'
import { useAppState } from './use-app-state.ts'
import { useLate } from './use-late.ts'
import { useLoad } from './use-load.ts'
import { useShell } from './use-shell.ts'

/** Longer than that no key waits for what is slow to come. In milliseconds. */
const patience = 3000

interface Home {
  readonly view: HomeView
  /** Until all is known no line is where it will be. */
  readonly isLoading: boolean
}

/** What home tells of who is signed in; all parts are asked for at once, and each comes by itself. */
export function useHome(me: SessionView): Home {
  const asker = askerOf(me, useAppState())
  const since = useSince()
  const answers = {
    invitations: usePart('invitations', asker),
    sessions: usePart('sessions', asker),
    keys: usePart('keys', asker),
    events: usePart('events', asker),
    place: usePart('place', asker),
  }
  const view = viewOf(me, answers, since)
  const isKnown = since !== undefined && isSettled(answers)
  useVisit(since && seenUntil(view))
  return { view, isLoading: !useLate(true, patience) && !isKnown }
}

/** Until the last visit is known nothing is taken for new. */
const viewOf = (me: SessionView, answers: HomeAnswers, since: Date | undefined): HomeView => ({
  me,
  answers,
  since: since ?? new Date(),
  now: Date.now(),
})

function usePart<N extends PartName>(name: N, { organizationId: here, isWatched }: Asker): Asked<HomeParts[N]> {
  const { store } = useShell()
  // The others are not asked again once it is known where one works.
  const organizationId = name === 'place' || name === 'keys' ? here : null
  const load = useCallback(
    async (connection: TuiConnection): Promise<HomeParts[N]> =>
      askPart[name](connection, { organizationId, isWatched }, await seenBefore(store)),
    [store, name, organizationId, isWatched],
  )
  return useLoad(load)
}

function useSince(): Date | undefined {
  const { store } = useShell()
  const [since, setSince] = useState<Date>()
  useEffect(() => {
    let isGone = false
    void seenBefore(store).then((date) => isGone || setSince(date))
    return () => {
      isGone = true
    }
  }, [store])
  return since
}

/** Keeps for the next visit what was shown in this one. */
function useVisit(seen: Date | undefined): void {
  const { store } = useShell()
  const time = seen?.getTime()
  useEffect(() => {
    if (time !== undefined) void noteVisit(store, new Date(time))
  }, [store, time])
}
