import { done, type Person } from '../../../server/testing/organizations.ts'
import type { RunningService } from '../../testing/own-service.ts'
import type { Pty } from '../../testing/pty.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { organization } from './organizations.ts'
import { ada, bob, eve, signedIn } from './people.ts'
import type { RenderOptions, Screen } from './render.tsx'
import type { Screens } from './screens.ts'

/** Allows any number of teams, even none. */
export const ownTeamsOnly = { DEFAULT_TEAM: 'off', ALLOW_REMOVING_ALL_TEAMS: 'on' }

export interface Acme {
  readonly id: string
  /** The machine that Ada is signed in on. */
  readonly machine: Runner
  readonly bob: Person
}

/** Acme with Ada in the given role, Bob as another owner and Eve as a member. */
export async function acmeAt(at: RunningService, role = 'owner'): Promise<Acme> {
  const [machine, owner] = [await signedIn(at), await at.service.person({ email: bob, name: 'Bob Ross' })]
  await at.service.person({ email: eve, name: 'Eve Moss' })
  const roles = role === 'owner' ? { [ada]: role, [bob]: 'owner' } : { [bob]: 'owner', [ada]: role }
  return { machine, bob: owner, id: await organization(at.service, 'Acme', { ...roles, [eve]: 'member' }) }
}

/** Bob makes a change elsewhere, through the service. */
export const doneByBob = ({ bob: person, id: organizationId }: Omit<Acme, 'machine'>, call: string, fields: object) =>
  done(person.post(`/organization/${call}`, { organizationId, ...fields }))

export const inviteTo = (acme: Omit<Acme, 'machine'>, email: string) =>
  doneByBob(acme, 'invite-member', { email, role: 'member' })

/** Returns the team's id. */
export const createTeam = async (acme: Acme, name: string): Promise<string> =>
  (await doneByBob(acme, 'create-team', { name })).id

/** Opens Acme from the list of organizations on Ada's machine. */
export async function openAcme(screens: Screens, { machine }: Pick<Acme, 'machine'>, options: RenderOptions = {}) {
  const ui = screens.open(machine, { screen: 'orgs', ...options })
  await ui.shows('Acme')
  ui.press('enter')
  await ui.shows('[Members')
  return ui
}

/** Opens Acme from Home in a terminal. */
export async function showAcme(pty: Pty): Promise<void> {
  await pty.shows('Ada Lovelace')
  pty.type('5')
  await pty.shows('❯ Acme')
  pty.type('\r')
  await pty.shows('[Members')
}

/** Switches to the panel with that title. */
export async function tabTo(ui: Screen, title: string): Promise<void> {
  for (let count = 0; count < 5 && !ui.frame().includes(`[${title}`); count += 1) {
    ui.press('tab')
    // A changed frame alone does not prove it, since answers of the service change it too.
    await ui.settled()
  }
}
