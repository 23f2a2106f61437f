import { commandFor } from '../../flows/command-line.ts'
import type { Form } from '../../flows/flow.ts'
import type { Act, Offer, Resource } from '../../flows/resource.ts'
import { keyLabel, keyOf, keyOfAct, withKey } from '../keymap/key-text.ts'
import type { KeyGroup, Keymap } from '../keymap/keymap.ts'
import type { Intent, KeyScope } from '../keymap/names.ts'

/** One thing that a screen offers, its key, and the command that does the same. */
export interface Entry {
  readonly entry: string
  readonly key: string | null
  readonly command: string
}

interface Place<T extends object, V> {
  readonly resource: Resource<T, V>
  readonly view: V
  readonly scope: KeyScope
  /** The command that lists the same. */
  readonly list?: string
}

/** What the screens of a resource offer: the list, one item, and the acts on both. */
export function entriesOf<T extends object, V>(keymap: Keymap, place: Place<T, V>): readonly Entry[] {
  const { resource, view, scope, list } = place
  const [one] = resource.of(view)
  const below = one && resource.below?.(one, view)
  const on = (intent: Intent, entry: Entry): Entry => ({ ...entry, key: keyIn(keymap, scope, intent) })
  const all = [
    ...(list === undefined ? [] : [plain('The list', list)]),
    ...(one ? [on('copy-command', plain(`One ${resource.noun}`, resource.command(one, view)))] : []),
    ...(below ? [on('open', plain(below.label, below.command))] : []),
    ...inMenuOrder(resource.acts).flatMap((act) => {
      const entries = offersOf(act, place).flatMap(offerEntry)
      const { key } = act
      return key ? entries.map((entry) => ({ ...entry, key: keyLabel(keyOfAct(keymap, key)) })) : entries
    }),
  ]
  return firstOfEach(all)
}

/** Only the first of several items, as an example of all. */
export const firstOfEach = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ entry }, at) => entries.findIndex((one) => one.entry === entry) === at)

/** Acts on the list as a whole come last in menus. */
const inMenuOrder = <T extends object, V>(acts: readonly Act<T, V>[]): readonly Act<T, V>[] => [
  ...acts.filter(({ about }) => about !== 'place'),
  ...acts.filter(({ about }) => about === 'place'),
]

const offersOf = <T extends object, V>(
  { about, offers }: Act<T, V>,
  { resource, view }: Place<T, V>,
): readonly Offer[] =>
  (about === 'place' ? [[]] : resource.of(view).map((one) => [one])).flatMap((chosen) => offers(chosen, view))

/** A choice shows its first option as an example of all. A person in a list has an address, and no command. */
function offerEntry(offer: Offer): readonly Entry[] {
  if (offer.kind === 'form') return [formEntry(offer.form())]
  if (offer.kind === 'action') return [plain(offer.action.label, offer.action.command)]
  if (offer.kind === 'look') return offer.command.startsWith('postern ') ? [plain(offer.label, offer.command)] : []
  const options = offer.options()
  const [first] = options instanceof Promise ? [] : options
  return first ? offerEntry(first.offer).map((entry) => ({ ...entry, entry: offer.label })) : []
}

export const formEntry = ({ title, command, initial }: Form): Entry => plain(title, command(initial))

type ShownFlow<S> = Parameters<typeof commandFor<S>>[0] & { readonly title: string }
export const actEntry = <S>(flow: ShownFlow<S>, subjects: readonly S[]): Entry =>
  plain(flow.title, commandFor(flow, subjects))

export const plain = (entry: string, command: string): Entry => ({ entry, command, key: null })

export const keyed = (keymap: Keymap, [group, intent]: readonly [KeyGroup, Intent], entry: Entry): Entry => ({
  ...entry,
  key: keyOf(keymap, group, intent),
})

const keyIn = (keymap: Keymap, scope: KeyScope, intent: Intent): string | null => {
  const { key } = withKey(keymap, [scope, intent], {})
  return key === undefined ? null : keyLabel(key)
}
