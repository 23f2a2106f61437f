import type { MemberView, Organization } from '../../../shared/organization.ts'
import { keyLabel } from '../keys/key-text.ts'
import { type Binding, type Intent, panels, panelTitles } from '../keys/keys.ts'
import { activeOrganization } from '../state/app-state.ts'
import type { Choice, DisabledReasons, Overlay } from '../state/overlays.ts'
import { placeOf } from '../state/places.ts'
import type { Route } from '../state/shell-state.ts'
import { useAccountChoices } from './use-account-choices.ts'
import { useAppState } from './use-app-state.ts'
import type { Intents } from './use-bindings.ts'
import { type Shell, useShell } from './use-shell.ts'

/** Moving about is for keys; a palette is for what one looks for by name. */
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

interface Acts {
  readonly bindings: readonly Binding[]
  readonly intents: Intents
  readonly disabledReasons: DisabledReasons
}

/** Opens what is found by name: screens, what can be done here, organizations, accounts, and soon the members. */
export function usePalette(): (acts: Acts) => void {
  const shell = useShell()
  const state = useAppState()
  const choicesOf = useAccountChoices()
  const { store, show, replace, open, exit } = shell
  const leave = { id: 'exit', label: 'Quit', names: ['q', 'q!', 'exit', 'wq'], hint: 'from anywhere', run: exit }
  return (acts) => {
    const known = [
      ...choicesIn(acts),
      leave,
      ...panelChoices(activeOrganization(state), shell),
      ...(state.organizations ?? []).map((organization) => organizationChoice(organization, shell)),
      ...choicesOf(store.state.accounts).map((choice) => ({ ...choice, hint: `account  ${choice.hint ?? ''}` })),
    ]
    const shown = paletteWith(known)
    show(shown)
    const active = activeOrganization(state)
    if (!active || !state.connection) return
    const { member } = state.connection.quiet.api
    const toMember = ({ id, user }: MemberView): Choice => ({
      id,
      label: user.name,
      names: [user.email],
      hint: `member of ${active.name}  ${user.email}`,
      run: () => open({ screen: 'member', subject: id, organizationId: active.id, title: user.name }),
    })
    // They can be many, and a palette opens at once. Without them it is as good as before.
    member.listMembers({ organizationId: active.id }).then(
      ({ members }) => replace(shown, paletteWith([...known, ...members.map(toMember)])),
      () => {},
    )
  }
}

const paletteWith = (choices: readonly Choice[]): Overlay => ({
  kind: 'picker',
  title: 'Command',
  choices,
  isSearchable: true,
})

const choicesIn = ({ bindings, intents, disabledReasons }: Acts): readonly Choice[] =>
  bindings.flatMap(({ intent, keys, label }) => {
    const run = intents[intent]
    if (!run || forKeysOnly.has(intent)) return []
    const hint = keyLabel(keys[0] ?? '')
    const destroys = intent === 'remove'
    return [
      { id: intent, label, hint, names: [intent, ...keys], destroys, disabledReason: disabledReasons[intent], run },
    ]
  })

/** The parts of the active organization. */
const panelChoices = (active: Organization | undefined, { open, places }: Shell): readonly Choice[] =>
  active
    ? panels.map((panel) => ({
        id: `panel ${panel}`,
        label: panelTitles[panel],
        hint: `of ${active.name}`,
        run: () => {
          const route = routeOf(active)
          places.set(`${placeOf(route)} panel`, panel)
          open(route)
        },
      }))
    : []

const routeOf = ({ id, name }: Organization): Route => ({ screen: 'organization', subject: id, title: name })

const organizationChoice = (organization: Organization, { open }: Shell): Choice => ({
  id: organization.id,
  label: organization.name,
  names: [organization.slug],
  hint: `organization  ${organization.slug}`,
  run: () => open(routeOf(organization)),
})
