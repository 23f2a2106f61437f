import { adminOf } from '../../testing/admin.ts'
import type { OwnService } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { organization } from './organizations.ts'
import { ada, bob, eve } from './people.ts'

export interface Walk {
  readonly name: string
  /** What leads there, one key after the other. A text to wait for stands between. */
  readonly way: readonly (string | { readonly see: string })[]
  /** What has to be read whole in every size: what tells one row from another, or what is asked. */
  readonly whole: readonly string[]
  /** Nothing is selected there. */
  readonly isStill?: boolean
  /** It lies over a screen, and this takes it away. */
  readonly leave?: string
}

const see = (text: string) => ({ see: text })
const [esc, enter, tab] = ['\u001b', '\r', '\t']
const acme = ['5', see('❯ Acme'), enter, see('[')] as const
/** The panel of the walk before stays open. */
const panel = (title: string) => [...acme, see(`[${title}`)] as const
const nextPanel = (title: string) => [...acme, tab, see(`[${title}`)] as const
const command = (text: string) => [':', see('Command'), text, enter] as const

/** The way to every screen in a window of 120×40, from the screen before. */
export const walks: readonly Walk[] = [
  { name: 'home', way: ['1'], whole: ['Sessions'] },
  { name: 'accounts', way: ['2'], whole: [ada] },
  { name: 'sessions', way: ['3'], whole: ['this one'] },
  { name: 'a session', way: ['3', see('this one'), enter], whole: ['Revoke'] },
  { name: 'the profile', way: ['4'], whole: ['Edit profile', ada] },
  { name: 'activity', way: ['4', ...command('activity')], whole: ['trust-created'] },
  {
    name: 'an event',
    way: ['4', ...command('activity'), see('trust-created'), enter, see('› trust-created')],
    whole: ['trust-created'],
    isStill: true,
  },
  { name: 'linked accounts', way: ['4', ...command('linked acc')], whole: ['Password'] },
  { name: 'own keys', way: ['4', ...command('keys for mach')], whole: ['laptop'] },
  { name: 'a key', way: ['4', ...command('keys for mach'), see('laptop'), enter], whole: ['Rotate'] },
  { name: 'organizations', way: ['5'], whole: ['Acme'] },
  { name: 'members', way: acme, whole: [ada, bob, eve] },
  { name: 'a member', way: [...acme, 'gjj', see('❯  Eve'), enter, see('Change roles')], whole: [eve] },
  { name: 'a form', way: [...acme, 'c'], whole: ['Email', 'Roles', 'Team'], leave: esc },
  { name: 'a menu', way: [...acme, 'x'], whole: ['Change roles', 'Put into a team'], leave: esc },
  { name: 'the palette', way: [...acme, ':'], whole: ['Change roles'], leave: esc },
  { name: 'a question', way: [...acme, 'D'], whole: [eve, 'yes', 'no'], isStill: true, leave: 'n' },
  { name: 'the help', way: [...acme, '?'], whole: ['Keys of this screen', 'role'], isStill: true, leave: esc },
  { name: 'invitations', way: nextPanel('Invitations'), whole: ['zoe@example.com'] },
  { name: 'teams', way: nextPanel('Teams'), whole: ['Design'] },
  { name: 'a team', way: [...panel('Teams'), enter, see('› Design')], whole: [eve] },
  { name: 'roles', way: nextPanel('Roles'), whole: ['owner', 'admin', 'member'] },
  { name: 'a role', way: [...panel('Roles'), 'G', enter], whole: ['Eve Moss'] },
  { name: 'keys of an organization', way: nextPanel('Keys'), whole: ['deploy'] },
  { name: 'CI jobs', way: [...panel('Keys'), see('deploy'), 't'], whole: ['site'] },
  { name: 'settings', way: nextPanel('Settings'), whole: ['Edit the organization'] },
  { name: 'webhooks', way: [...panel('Settings'), 'w'], whole: ['https://example.com/hook', 'active'] },
  {
    name: 'a webhook',
    way: [...panel('Settings'), 'w', see('❯  active'), enter],
    whole: ['Rotate the secret'],
  },
  {
    name: 'the form of a webhook',
    way: [...panel('Settings'), 'w', see('❯  active'), 'e'],
    whole: ['https://example.com/hook', 'Events', 'Without events, it is told all.'],
    leave: esc,
  },
  {
    name: 'a failure',
    way: [...panel('Settings'), 'w', see('❯  active'), 't'],
    whole: ['That did not work'],
    isStill: true,
    leave: esc,
  },
  { name: 'users', way: ['6'], whole: [ada, bob, eve] },
  { name: 'a user', way: ['6', see(eve), enter], whole: [eve] },
  { name: 'the sessions of a user', way: ['6', see(eve), enter, see('Ban'), ...command('sessions')], whole: [] },
  { name: 'the audit trail', way: ['6', see(eve), 't'], whole: ['trust-created'] },
  { name: 'webhooks of the service', way: ['6', see(eve), 'w'], whole: ['https://example.com/audit', 'active'] },
  {
    name: 'a severe question',
    way: ['6', see(eve), enter, 'D'],
    whole: [eve, 'to confirm.'],
    isStill: true,
    leave: esc,
  },
  { name: 'requests', way: ['7'], whole: ['postern'] },
  { name: 'a request', way: ['7', see('❯'), enter], whole: ['Request'], isStill: true },
]

/** A machine whose user may see every screen, and something to see on each. */
export async function machineOfAll(own: OwnService): Promise<Runner> {
  const machine = await adminOf(own)
  const { service } = own
  for (const [email, name] of [
    [bob, 'Bob Ross'],
    [eve, 'Eve Moss'],
  ] as const)
    await service.person({ email, name })
  await organization(service, 'Acme', { [ada]: 'owner', [bob]: 'admin', [eve]: 'member' })
  for (const line of [
    'team create Design --org acme',
    `team member add ${eve} --team Design --org acme`,
    'invitation create zoe@example.com --role member --org acme',
    'key create deploy --role member --org acme',
    'key create laptop --mine',
    'webhook create https://example.com/hook --org acme',
    'webhook create https://example.com/audit --platform',
    'key trust create site --issuer https://gitlab.com --claim project_path=acme/site --role member --org acme',
  ]) {
    const { code, stderr } = await machine(line)
    if (code !== 0 || stderr.includes('error')) throw new Error(`${line}: ${stderr}`)
  }
  return machine
}
