import type { FlowResult } from '../../flows/flow.ts'
import { type Act, type NamedOffer, type Offer, type Resource, titleOf } from '../../flows/resource.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import { keyOfAct } from '../keymap/key-text.ts'
import type { ActionMenu, Choice, DisabledReasons, Overlay } from '../state/shell-state.ts'
import { actionChoice, formChoice, useRunAction } from './use-action.ts'
import type { Intents } from './use-bindings.ts'
import { useKeymap } from './use-keymap.ts'
import { restrictionsOf, runChoice, type Shell, useAppState, useShell } from './use-shell.ts'

/** The actions of a resource, as keys and as a menu. */
interface ResourceActions {
  readonly actions: ActionMenu
  readonly intents: Intents
  readonly disabledReasons: DisabledReasons
}

interface ResourceActionsPlan<T, V> {
  /** Undefined while loading. */
  readonly view: V | undefined
  readonly selected: T | undefined
  /** The marked items, otherwise the selected one. */
  readonly chosen: readonly T[]
  /** Called after an action on the chosen items. */
  readonly onDone: () => void
  /** Called after the chosen items were removed. */
  readonly onRemoved: () => void
  readonly isDetail?: boolean
  /** Opens the item's own screen before a choice leads on from there. */
  readonly through?: (() => void) | undefined
}

/** While loading: the keys exist but only report that. */
const actionsWhileLoading = <T extends object, V>(
  { acts, noun }: Resource<T, V>,
  { say }: Pick<Shell, 'say'>,
): ResourceActions => ({
  actions: { title: '', choices: [] },
  intents: Object.fromEntries(
    acts.flatMap(({ key }) => (key ? [[key[1], () => say(`No ${noun} is loaded yet`)]] : [])),
  ),
  disabledReasons: {},
})

export function useResourceActions<T extends object, V>(
  resource: Resource<T, V>,
  plan: ResourceActionsPlan<T, V>,
): ResourceActions {
  const [shell, keymap, choiceOf] = [useShell(), useKeymap(), useOfferChoice()]
  const { view, selected, chosen, onDone, onRemoved, through } = plan
  if (view === undefined) return actionsWhileLoading(resource, shell)
  const one = selected ? [selected] : []
  const notOne = whyNotOne(selected, chosen)
  const acts = resource.acts.filter(({ isOnlyInDetail }) => plan.isDetail || !isOnlyInDetail)
  const offered = acts.flatMap((act) => {
    const subjects = { place: [], one, several: chosen }[act.about]
    const ended = ({ leadsHome }: FlowResult) => (leadsHome ? shell.go('home') : (act.removes ? onRemoved : onDone)())
    const details = () => act.details?.(subjects, view) ?? subjects.map((each) => resource.line(each, view))
    const ends = { details, onDone: ended, through: act.about === 'place' || notOne ? undefined : through }
    return act.offers(subjects, view).map((offer) => {
      const choice = choiceOf(offer, ends)
      const disabledReason = (act.about === 'one' ? notOne : undefined) ?? choice.disabledReason
      return { act, choice: { ...choice, disabledReason, ...(act.key && { key: keyOfAct(keymap, act.key) }) } }
    })
  })
  const isThere = ({ about }: Act<T, V>) => about === 'place' || selected !== undefined
  const isOfPlace = ({ act }: (typeof offered)[number]) => act.about === 'place'
  const below = selected && !notOne && resource.below?.(selected, view)
  const looks = below ? [choiceOf(below, { details: () => [], onDone })] : []
  const inOrder = [...offered.filter((each) => !isOfPlace(each)), ...offered.filter(isOfPlace)]
  const keyed = offered.flatMap(({ act, choice }) => (act.key ? [{ act, choice, intent: act.key[1] }] : []))
  const none = () => shell.say(`No ${resource.noun} is selected`)
  return {
    actions: {
      // Without a selected item there are only actions of the place.
      title: titleOf(resource, selected ? chosen : [], view),
      choices: [...looks, ...inOrder.flatMap(({ act, choice }) => (isThere(act) ? [choice] : []))],
    },
    intents: Object.fromEntries(
      keyed.map(({ act, choice, intent }) => [intent, isThere(act) ? () => runChoice(shell, choice) : none]),
    ),
    disabledReasons: Object.fromEntries(keyed.map(({ choice, intent }) => [intent, choice.disabledReason])),
  }
}

/** The menu names the marked items, so it offers nothing that is about another, selected one. */
function whyNotOne<T>(selected: T | undefined, chosen: readonly T[]): string | undefined {
  if (chosen.length > 1) return 'one at a time: several are marked'
  return chosen.length === 1 && chosen[0] !== selected ? 'one at a time: another is marked' : undefined
}

interface Ends {
  /** What exactly it affects. Made when it is asked for: it can be thousands of lines. */
  readonly details: () => readonly string[]
  readonly onDone: (done: FlowResult) => void
  readonly through?: (() => void) | undefined
}

/** Returns a function that turns an offer into a menu choice. */
export function useOfferChoice(): (offer: Offer, ends: Ends) => Choice {
  const shell = useShell()
  const state = useAppState()
  const mode = restrictionsOf(shell, state)
  const ask = useRunAction()
  const choiceOf = (offer: Offer, ends: Ends): Choice => {
    if (offer.kind === 'action')
      return actionChoice(offer.action, mode, () => ask(offer.action, { ...ends, details: ends.details() }))
    if (offer.kind === 'form') return formChoice(shell, state, offer.form)
    const { label } = offer
    if (offer.kind === 'look') {
      const { command: hint, opens, disabledReason } = offer
      const run = () => {
        ends.through?.()
        shell.open(opens)
      }
      return { id: `${label} ${opens.subject ?? ''}`, label, hint, disabledReason, run }
    }
    const { title, isSearchable = false, options } = offer
    const run = () => {
      const picker = (found: readonly NamedOffer[], isLoading = false): Overlay => ({
        kind: 'picker',
        title,
        isLoading,
        choices: found.map(({ id, label: name, offer: one }) => ({ ...choiceOf(one, ends), id, label: name })),
        isSearchable,
      })
      const found = options()
      const shown = found instanceof Promise ? picker([], true) : picker(found)
      // It opens at once, so that keys typed ahead reach it.
      shell.show(shown)
      if (found instanceof Promise) found.then((all) => shell.replace(shown, picker(all)), shell.fail)
    }
    return { id: label, label, disabledReason: disabledReasonOf({ writes: true, ...offer }, mode), run }
  }
  return choiceOf
}
