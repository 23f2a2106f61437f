import { useContext, useEffect, useLayoutEffect, useRef } from 'react'
import type { Organization } from '../../../shared/organization.ts'
import { users, usersView } from '../../flows/admin/resource.ts'
import { keys } from '../../flows/key/resource.ts'
import { links, noLinks } from '../../flows/link/resource.ts'
import { addressOf } from '../../flows/member/members.ts'
import { members } from '../../flows/member/resource.ts'
import { organizationTitle } from '../../flows/org/organizations.ts'
import { organizationSettings } from '../../flows/org/resource.ts'
import { type OrganizationView } from '../../flows/org/view.ts'
import type { Offer, Resource } from '../../flows/resource.ts'
import { roles } from '../../flows/role/resource.ts'
import { teams } from '../../flows/team/resource.ts'
import { trusts } from '../../flows/trust/resource.ts'
import { webhooks } from '../../flows/webhook/resource.ts'
import { signInForms } from '../forms/forms.ts'
import { keyLabel, keyOfAct } from '../keymap/key-text.ts'
import { type Binding } from '../keymap/keymap.ts'
import { type Intent, panels, panelTitles } from '../keymap/names.ts'
import type { ActionMenu, Choice, DisabledReasons, Overlay, Route } from '../state/shell-state.ts'
import { screenKeyOf } from '../state/shell-state.ts'
import { formChoice } from './use-action.ts'
import type { Intents } from './use-bindings.ts'
import { useKeymap } from './use-keymap.ts'
import { type NearOrganization, useNearOrganization } from './use-near-organization.ts'
import { useAccountChoices, useOwnActions } from './use-own-actions.ts'
import { useOfferChoice } from './use-resource-actions.ts'
import { type Shell, useAppState, useShell } from './use-shell.ts'
import { TopScreenContext, useIsThere } from './use-top-screen.ts'

/** The palette is searched by name, so keys that only move or mark are left out. */
const forKeysOnly: ReadonlySet<Intent> = new Set<Intent>([
  'up',
  'down',
  'page-up',
  'page-down',
  'first',
  'last',
  'open',
  'next-match',
  'previous-match',
  'mark',
  'mark-range',
  'mark-all',
  'mark-others',
  'sort',
  'turn-sort',
  'palette',
  'quit',
])

interface ScreenActions {
  readonly bindings: readonly Binding[]
  readonly intents: Intents
  readonly disabledReasons: DisabledReasons
  /** The menu of the screen. */
  readonly actions: ActionMenu | undefined
}

/**
 * Returns a function that opens the palette: screens, actions here and elsewhere, organizations and accounts. It opens
 * at once and works with what is known; what the service answers meanwhile is added.
 */
export function usePalette(acts: ScreenActions, isActive: boolean): () => void {
  const { show, replace, places } = useShell()
  const isOnTop = useContext(TopScreenContext)
  const { me, isAdmin, organizations, shownError } = useAppState()
  const choicesOf = usePaletteChoices()
  const nearOf = useNearOrganization()
  // Kept beside the screen, whose page is another one once its data is there.
  const shown = () => places.get(shownPlace) as Overlay | undefined
  const isLoading = me === undefined && !shownError
  const make = (): Overlay => {
    const near = nearOf()
    near?.news?.then(
      (view) => view !== near.view && latest.current(),
      () => {},
    )
    return { kind: 'picker', title: 'Command', choices: choicesOf(acts, near), isSearchable: true, isLoading }
  }
  const renew = () => {
    const before = shown()
    if (!before || !isOnTop) return
    const next = make()
    replace(before, next)
    places.set(shownPlace, next)
  }
  const latest = useRef(renew)
  useLayoutEffect(() => {
    latest.current = renew
  })
  useEffect(() => latest.current(), [isLoading, me, isAdmin, organizations])
  useEffect(() => {
    // It was closed.
    if (isActive) places.set(shownPlace, undefined)
  }, [isActive, places])
  return () => {
    const palette = make()
    places.set(shownPlace, palette)
    show(palette)
  }
}

const shownPlace = 'palette'

function usePaletteChoices(): (acts: ScreenActions, near: NearOrganization | undefined) => readonly Choice[] {
  const shell = useShell()
  const { organizations, accounts } = useAppState()
  const choicesOf = useAccountChoices()
  const ownActs = useOwnActions()
  const otherActs = useOtherScreenActions()
  const actsIn = useOrganizationActions()
  const leave = { id: 'exit', label: 'Quit', names: ['q', 'q!', 'exit', 'wq'], hint: 'from anywhere', run: shell.exit }
  return (acts, near) => {
    const known = [
      ...choicesIn(acts),
      ...choicesWithoutKey(acts),
      leave,
      ...panelChoices(near?.organization, shell),
      ...withoutOwn('own', ownActs(), acts),
      ...withoutOwn('there', otherActs(), acts),
      ...(organizations ?? []).map((organization) => organizationChoice(organization, shell)),
      ...choicesOf(accounts).map((choice) => ({ ...choice, hint: `account  ${choice.hint ?? ''}` })),
    ].map(namedByCommand)
    const within = (view: OrganizationView) => [
      ...withoutOwn(view.organization.id, actsIn(view), acts)
        .map((act) => withOrganizationName(view, act))
        .map(namedByCommand),
      // Thousands, and none of them has a command.
      ...memberChoices(view, shell),
    ]
    return [...known, ...(near?.view ? within(near.view) : [])]
  }
}

const choicesIn = ({ bindings, intents, disabledReasons, actions }: ScreenActions): readonly Choice[] =>
  bindings.flatMap(({ intent, keys, label: short }) => {
    const run = intents[intent]
    if (!run || forKeysOnly.has(intent)) return []
    const [first = ''] = keys
    const line = actions?.choices.find(({ key }) => key === first)
    const { label, hint } = { label: line?.label ?? short, hint: [keyLabel(first), line?.hint ?? ''].join('  ') }
    const disabledReason = disabledReasons[intent]
    const names = [short, intent, ...keys]
    const kind = { isPlace: intent.startsWith('screen-'), destroys: intent === 'remove' }
    return [{ id: intent, label, hint, names, ...kind, disabledReason, run }]
  })

/** The menu's actions without a key. Those with a key are listed with the keys. */
const choicesWithoutKey = ({ actions }: ScreenActions): readonly Choice[] =>
  (actions?.choices ?? [])
    .filter(({ key }) => key === undefined)
    .map((choice) => ({ ...choice, id: `act ${choice.id}` }))

/** Actions that the screen's own menu lacks. Their keys are removed, since keys of another screen do not work here. */
const withoutOwn = (of: string, choices: readonly Choice[], { actions }: ScreenActions): readonly Choice[] =>
  choices
    .filter(({ label, hint }) => !actions?.choices.some((own) => own.label === label && own.hint === hint))
    .map((choice) => ({ ...choice, id: `${of} ${choice.id}`, key: undefined }))

/** Adds the organization's name, which a disabled action would not show otherwise. */
const withOrganizationName = ({ organization }: OrganizationView, act: Choice): Choice => ({
  ...act,
  label: `${act.label} (${organization.name})`,
})

/** The actions of other screens that need no selection, and the ways to sign in. */
function useOtherScreenActions(): () => readonly Choice[] {
  const shell = useShell()
  const state = useAppState()
  const choiceOf = useOfferChoice()
  return () => {
    const { me, isAdmin, connection } = state
    const forms = signInForms.map((form) => formChoice(shell, state, () => form()))
    const administration = usersView({ items: [], total: 0 }, me?.user)
    const offers = [
      ...(me ? ofPlace(links, noLinks(connection)) : []),
      ...(isAdmin ? ofPlace(users, administration) : []),
    ]
    return [...offers.map((offer) => choiceOf(offer, { details: () => [], onDone: () => {} })), ...forms]
  }
}

/** Found by the words of its command too, but not by the organization, which many commands name. */
function namedByCommand(choice: Choice): Choice {
  const [, words = ''] = /postern ([a-z][a-z -]*)/.exec(choice.hint ?? '') ?? []
  const name = words
    .replace(/ --org.*/, '')
    .replaceAll(/[ -]+/g, ' ')
    .trim()
  if (name === '') return choice
  return { ...choice, names: [...(choice.names ?? []), name, ...(name.endsWith('activity') ? trailNames : [])] }
}

/** What others call the activity. */
const trailNames = ['audit trail', 'history', 'log']

/** The actions about a list as a whole. */
const ofPlace = <T extends object, V>({ acts }: Resource<T, V>, view: V): readonly Offer[] =>
  acts.filter(({ about }) => about === 'place').flatMap(({ offers }) => offers([], view))

/** The actions in and on an organization that need no selection. */
function useOrganizationActions(): (view: OrganizationView) => readonly Choice[] {
  const choiceOf = useOfferChoice()
  const { go } = useShell()
  const isThere = useIsThere()
  const keymap = useKeymap()
  return (view) => {
    const offers = [
      ...ofPlace(members, view),
      ...(view.organization.teams ? ofPlace(teams, view) : []),
      ...ofPlace(roles, view),
      ...ofPlace(keys, { keys: [], within: view }),
      ...ofPlace(trusts, { ...view, trusts: [] }),
      ...ofPlace(webhooks, { webhooks: [], within: view }),
    ]
    const toList = { details: () => [], onDone: () => isThere() && go('orgs') }
    const { acts } = organizationSettings
    const about = acts.flatMap((act) =>
      act.offers([], view).map((offer) => {
        const details = () => act.details?.([], view) ?? [organizationTitle(view.organization)]
        const choice = choiceOf(offer, { ...toList, details })
        return act.key ? { ...choice, key: keyOfAct(keymap, act.key) } : choice
      }),
    )
    return [...offers.map((offer) => choiceOf(offer, toList)), ...about]
  }
}

/** The panels of an organization. */
const panelChoices = (near: Organization | undefined, { go, places }: Shell): readonly Choice[] =>
  near
    ? panels.map((panel) => ({
        id: `panel ${panel}`,
        label: panelTitles[panel],
        hint: `of ${near.name}`,
        isPlace: true,
        run: () => {
          places.set(`${screenKeyOf(routeOf(near))} panel`, panel)
          go('orgs', routeOf(near))
        },
      }))
    : []

const routeOf = ({ id, name }: Pick<Organization, 'id' | 'name'>): Route => ({
  screen: 'organization',
  subject: id,
  title: name,
})

const choicesOfMembers = new WeakMap<OrganizationView, readonly Choice[]>()

/** The same objects each time, so that what is derived from thousands of them, such as their widths, is computed once. */
function memberChoices(view: OrganizationView, { go }: Shell): readonly Choice[] {
  const known = choicesOfMembers.get(view)
  if (known) return known
  const { organization } = view
  const made = organization.members.map(({ id, user }) => ({
    id,
    label: user.name,
    names: [addressOf(user)],
    hint: `member of ${organization.name}  ${addressOf(user)}`,
    run: () =>
      go('orgs', routeOf(organization), {
        screen: 'member',
        subject: id,
        organizationId: organization.id,
        title: user.name,
      }),
  }))
  choicesOfMembers.set(view, made)
  return made
}

const organizationChoice = (organization: Organization, { go }: Shell): Choice => ({
  id: organization.id,
  label: organization.name,
  names: [organization.slug],
  hint: `organization  ${organization.slug}`,
  run: () => go('orgs', routeOf(organization)),
})
