import {
  type Act,
  countOf,
  detailOf,
  listColumns,
  type Offer,
  type Resource,
  type ViewedItem,
} from '../../flows/resource.ts'
import { relativeTime } from '../../output/time.ts'
import { countText } from '../../output/words.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import { actionItem, attemptOrReport, type Conversation, formItem, repeatMenu, restrictionsOf } from './conversation.ts'
import { chooseFromMenu, type ListPlace, type MenuItem } from './menu.ts'

export interface BrowsePlan<T extends object, V> {
  readonly resource: Resource<T, V>
  /** Undefined when the parent resource no longer exists. */
  readonly read: () => Promise<V | undefined>
  /** Whether the user still has access after an action. */
  readonly isThere?: () => boolean
  /** Each item opens as a part of its own. */
  readonly isEntered?: boolean
  /** Reads the next page, and returns everything read so far. */
  readonly readOn?: () => Promise<V>
}

/** A resource's items, reloaded after each action, and the actions on them. */
export async function browseResource<T extends object, V>(
  conversation: Conversation,
  plan: BrowsePlan<T, V>,
): Promise<void> {
  const { resource, isEntered, isThere = () => true } = plan
  const place: ListPlace = { start: 0 }
  const menu = async () => {
    const view = await plan.read()
    if (view === undefined) return false
    const all = resource.of(view)
    const total = resource.total?.(view) ?? all.length
    const part = total > all.length ? `${countText(all.length)} of ` : ''
    conversation.terminal.say(`${part}${countOf(resource, total)}.`)
    const itemsIn = (now: V, from = 0) =>
      resource
        .of(now)
        .slice(from)
        .map((one): MenuItem => {
          const own = isEntered ? resource.own?.(one, now) : undefined
          const run = async () =>
            own ? conversation.open(own) : void (await showItem(conversation, resource, { one, view: now }))
          return { label: lineOf(resource, one, now), run }
        })
    let count = all.length
    const { readOn } = plan
    const readMore = async () => {
      const more = readOn ? itemsIn(await readOn(), count) : []
      count += more.length
      return more
    }
    const ofPlace = actionItems(conversation, resource, { chosen: [], view }).map((item) => ({
      ...item,
      isOfList: true,
    }))
    const options = { place, ...(readOn && { readMore }) }
    return (await chooseFromMenu(conversation.terminal, [...itemsIn(view), ...ofPlace], options)) && isThere()
  }
  await attemptOrReport(conversation, () => repeatMenu(conversation, menu))
}

/** Prints one item in full with its actions. Returns whether one was run. */
export async function showItem<T extends object, V>(
  conversation: Conversation,
  resource: Resource<T, V>,
  { one, view }: ViewedItem<T, V>,
): Promise<boolean> {
  const { terminal } = conversation
  const { title, facts } = detailOf(resource, one, view)
  if (!facts.some(({ value }) => value === title)) terminal.say(`${title}.`)
  for (const { label, value } of facts) terminal.say(`${label}: ${value}`)
  const below = resource.own ? undefined : resource.below?.(one, view)
  const looks = below ? offerItems(conversation, below) : []
  return chooseFromMenu(terminal, [...looks, ...actionItems(conversation, resource, { chosen: [one], view })])
}

/** The actions on the chosen items. With none chosen, those of the list itself. */
export function actionItems<T extends object, V>(
  conversation: Conversation,
  resource: Resource<T, V>,
  { chosen, view }: { readonly chosen: readonly T[]; readonly view: V },
): readonly MenuItem[] {
  const isMeant = ({ about }: Act<T, V>) => (about === 'place') === (chosen.length === 0)
  return resource.acts
    .filter(isMeant)
    .flatMap((act) => act.offers(chosen, view).flatMap((offer) => offerItems(conversation, offer)))
}

function offerItems(conversation: Conversation, offer: Offer): readonly MenuItem[] {
  if (offer.kind === 'action') return [actionItem(conversation, offer.action)]
  if (offer.kind === 'form') return [formItem(conversation, offer.form)]
  const { label } = offer
  if (offer.kind === 'look') {
    const { disabledReason, opens } = offer
    return [{ label, disabledReason, run: () => conversation.open(opens) }]
  }
  const run = async () => {
    const found = await offer.options()
    const options = found.flatMap((one) =>
      offerItems(conversation, one.offer).map((item) => ({ ...item, label: one.label })),
    )
    await chooseFromMenu(conversation.terminal, options)
  }
  return [{ label, disabledReason: disabledReasonOf({ writes: true, ...offer }, restrictionsOf(conversation)), run }]
}

/** `laptop, address 127.0.0.1, updated 3 minutes ago` */
function lineOf<T extends object, V>(resource: Resource<T, V>, one: T, view: V): string {
  const now = Date.now()
  const timeText = (date: Date) => relativeTime(date, now)
  const [first, ...others] = listColumns(resource, view).map(({ title, shown }) => ({
    title,
    text: shown(one, timeText),
  }))
  const told = others.filter(({ text }) => text !== '' && text !== '-')
  return [first?.text, ...told.map(({ title, text }) => `${title.toLowerCase()} ${text}`.trim())].join(', ')
}
