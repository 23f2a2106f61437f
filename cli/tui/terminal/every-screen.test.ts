import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { adminOf } from '../../testing/admin.ts'
import { bundle } from '../../testing/bundle.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { organization } from '../testing/organizations.ts'
import { ada, bob, eve } from '../testing/people.ts'
import { useScreens } from '../testing/screens.ts'
import { windowSizes } from '../testing/window-sizes.ts'

// Every screen is opened in one terminal, in every size.
vi.setConfig({ testTimeout: 300_000 * slack })

const screens = useScreens({ DEFAULT_TEAM: 'off' })
let pty: Pty | undefined
afterAll(() => pty?.close())
let fixture: string
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})

interface Walk {
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

const walks: readonly Walk[] = [
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
  { name: 'a form', way: [...acme, 'c'], whole: ['E-mail', 'Roles', 'Team'], leave: esc },
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
  { name: 'users', way: ['6'], whole: [ada, bob, eve] },
  { name: 'a user', way: ['6', see(eve), enter], whole: [eve] },
  { name: 'the sessions of a user', way: ['6', see(eve), enter, see('Ban'), ...command('sessions')], whole: [] },
  { name: 'the audit trail', way: ['6', see(eve), 't'], whole: ['trust-created'] },
  { name: 'webhooks of the service', way: ['6', see(eve), 'w'], whole: ['https://example.com/audit', 'active'] },
  { name: 'requests', way: ['7'], whole: ['postern'] },
  { name: 'a request', way: ['7', see('❯'), enter], whole: ['Request'], isStill: true },
]

async function begin(): Promise<Pty> {
  const machine = await adminOf(screens.own)
  const { service } = screens.own
  for (const [email, name] of [
    [bob, 'Bob Ross'],
    [eve, 'Eve Moss'],
  ] as const)
    await service.person({ email, name })
  const id = await organization(service, 'Acme', { [ada]: 'owner', [bob]: 'admin', [eve]: 'member' })
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
    expect([line, code, stderr.includes('error')]).toEqual([line, 0, false])
  }
  expect(id).not.toBe('')
  return startPty(process.execPath, [fixture], { columns: 120, rows: 40, env: machine.env })
}

const lastLine = (frame: string): string => frame.split('\n').findLast((line) => line.trim() !== '') ?? ''

/** What is wrong with a window: something cut that has to be read, a footer without a way out, nothing selected. */
function faultsIn(frame: string, { whole, isStill = false, leave }: Walk): readonly string[] {
  const isWayOut = (leave === undefined ? /\? help +(esc|q) \w+$/ : /(esc|n) (close|cancel|no)/).test(lastLine(frame))
  return [
    ...whole.filter((text) => !frame.replaceAll(/\s+/g, ' ').includes(text)).map((text) => `cut: ${text}`),
    ...(isWayOut ? [] : [`footer: ${lastLine(frame)}`]),
    ...(isStill || frame.includes('❯') ? [] : ['nothing is selected']),
  ]
}

test('on every screen and in every size nothing is cut that tells rows apart, and footer and focus are seen', async () => {
  const terminal = await begin()
  pty = terminal
  await terminal.shows('you are in 1')
  const found: string[] = []
  for (const walk of walks) {
    for (const step of walk.way)
      if (typeof step === 'string') terminal.type(step)
      else await terminal.shows(step.see)
    for (const text of walk.whole) await terminal.shows(text)
    for (const [columns, rows] of windowSizes) {
      terminal.resize(columns, rows)
      const faults = async () => faultsIn(await terminal.screen(), walk)
      const left = await expect
        .poll(faults, { timeout: 3000 * slack })
        .toEqual([])
        .then(() => [], faults)
      found.push(...left.map((fault) => `${walk.name} at ${columns}×${rows}: ${fault}`))
    }
    terminal.resize(120, 40)
    if (walk.leave !== undefined) {
      terminal.type(walk.leave)
      await terminal.shows('? help')
    }
  }
  expect(found).toEqual([])
})
