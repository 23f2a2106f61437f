import { done, type Person } from '../../../server/testing/organizations.ts'
import type { RunningService } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { organization } from './organizations.ts'
import { ada, bob, eve, signedIn } from './people.ts'
import type { RenderOptions, Screen } from './render.tsx'
import type { Screens } from './screens.ts'

/** As many teams as a test makes, none included. */
export const ownTeamsOnly = { DEFAULT_TEAM: 'off', ALLOW_REMOVING_ALL_TEAMS: 'on' }

export interface Acme {
  readonly id: string
  /** Where Ada is signed in. */
  readonly machine: Runner
  readonly bob: Person
}

/** Ada in Acme with that role; Bob is another owner of it, Eve a member. */
export async function acmeAt(at: RunningService, role = 'owner'): Promise<Acme> {
  const [machine, owner] = [await signedIn(at), await at.service.person({ email: bob, name: 'Bob Ross' })]
  await at.service.person({ email: eve, name: 'Eve Moss' })
  const roles = role === 'owner' ? { [ada]: role, [bob]: 'owner' } : { [bob]: 'owner', [ada]: role }
  return { machine, bob: owner, id: await organization(at.service, 'Acme', { ...roles, [eve]: 'member' }) }
}

/** What Bob does elsewhere, through the service. */
export const doneByBob = ({ bob: person, id: organizationId }: Omit<Acme, 'machine'>, call: string, fields: object) =>
  done(person.post(`/organization/${call}`, { organizationId, ...fields }))

export const inviteTo = (acme: Omit<Acme, 'machine'>, email: string) =>
  doneByBob(acme, 'invite-member', { email, role: 'member' })

/** Answers its id. */
export const createTeam = async (acme: Acme, name: string): Promise<string> =>
  (await doneByBob(acme, 'create-team', { name })).id

/** Its screen on Ada's machine, from the list of her organizations. */
export async function openAcme(screens: Screens, { machine }: Pick<Acme, 'machine'>, options: RenderOptions = {}) {
  const ui = screens.open(machine, { screen: 'orgs', ...options })
  await ui.shows('Acme')
  ui.press('enter')
  await ui.shows('[Members')
  return ui
}

/** Goes on to that panel. */
export async function tabTo(ui: Screen, title: string): Promise<void> {
  for (let count = 0; count < 5 && !ui.frame().includes(`[${title}`); count += 1) {
    ui.press('tab')
    // Not any other frame: what the service answers changes it as well.
    await ui.settled()
  }
}
