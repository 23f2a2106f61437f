import { type AskEvents, actorOf, concernedOf, detailsOf } from '../../flows/audit/events.ts'
import { type Names, namesAmong, namesOfOrganizations, withNames } from '../../flows/audit/names.ts'
import { relativeTime } from '../../output/time.ts'
import { attempt, type Conversation } from './conversation.ts'

/** As many as a person may have read out to them at once. */
export const most = 20

/** The last events of some part of the trail, newest first. */
export async function trail(conversation: Conversation, ask: AskEvents, names: Names = new Map()): Promise<void> {
  const { terminal, store } = conversation
  await attempt(conversation, async () => {
    const { events } = await ask({ limit: String(most) })
    terminal.say(events.length === 0 ? 'No events.' : `The last ${events.length}, newest first.`)
    const mine = namesOfOrganizations(store.state.organizations ?? [])
    const known: Names = new Map([...namesAmong(events), ...mine, ...names])
    for (const event of events.map((one) => withNames(one, known))) {
      const about = concernedOf(event)
      const parts = [`${event.event}, by ${actorOf(event)}`, about && `about ${about}`, detailsOf(event)]
      terminal.say(`${parts.filter(Boolean).join(', ')}, ${relativeTime(event.createdAt, Date.now())}.`)
    }
  })
}
