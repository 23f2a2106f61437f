import { type Asked, calmLine, couldNotAsk, type HomeAnswers, noticesOf, seenUntil } from '../home/notices.ts'
import { type Asker, askerOf, askPart, type HomeParts, type PartName } from '../home/parts.ts'
import { placeText } from '../home/place.ts'
import { noteVisit, seenBefore } from '../home/visit.ts'
import type { TuiConnection } from '../ports.ts'
import { meantOrganization } from '../state/app-state.ts'
import { toShownError } from '../text/shown-error.ts'
import type { Conversation } from './conversation.ts'

/** What waits and what is odd, then where one works: what the screens show at home. */
export async function tellOverview({ store, terminal }: Conversation): Promise<void> {
  const { me, connection } = store.state
  if (!me || !connection) return
  const since = await seenBefore(store)
  const view = { me, answers: await askAll(connection, askerOf(me, store.state), since), since, now: Date.now() }
  for (const { label, hint } of noticesOf(view)) terminal.say(`${label}: ${hint}.`)
  for (const text of couldNotAsk(view.answers)) terminal.say(`${text}.`.replace('..', '.'))
  const calm = calmLine(view)
  if (calm !== undefined) terminal.say(calm)
  const { data: place } = view.answers.place
  const meant = meantOrganization(store.state)
  if (meant) terminal.say(`Working in ${meant.name}.${place ? ` You are there ${placeText(place, me)}.` : ''}`)
  const seen = seenUntil(view)
  if (seen) await noteVisit(store, seen)
}

async function askAll(connection: TuiConnection, asker: Asker, since: Date): Promise<HomeAnswers> {
  const ask = <N extends PartName>(name: N): Promise<Asked<HomeParts[N]>> =>
    askPart[name](connection, asker, since).then(
      (data) => ({ data, shownError: undefined }),
      (error: unknown) => ({ data: undefined, shownError: toShownError(error) }),
    )
  const [invitations, sessions, keys, events, place] = await Promise.all([
    ask('invitations'),
    ask('sessions'),
    ask('keys'),
    ask('events'),
    ask('place'),
  ])
  return { invitations, sessions, keys, events, place }
}
