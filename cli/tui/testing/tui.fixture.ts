import { addInvitation } from './fake-invitations.ts'
import { addOrganization } from './fake-organization.ts'
import { FakeService, fakePorts } from './fake-service.ts'

/** The terminal UI over a fake service, as a program of its own: `tui.fixture SCENARIO`. */
const [, , scenario = 'empty'] = process.argv
for (const name of ['CI', 'CONTINUOUS_INTEGRATION', 'DEV']) delete process.env[name]

const service = new FakeService()
if (scenario === 'strict') {
  service.addPerson('ada@example.com')
  service.isStrict = true
} else if (scenario !== 'empty') service.signIn('ada@example.com')
if (scenario === 'many') {
  for (let count = 1; count <= 40; count += 1) service.addSession('ada@example.com', `Browser number ${count}`)
} else if (scenario === 'hostile') {
  service.addPerson('ada@example.com', '\u001b[2J\u001b]0;owned\u0007\u001b]52;c;ZWNobw==\u0007Ada\rEve\u202ecod')
  service.addSession('ada@example.com', '\u001b]8;;https://evil.example\u001b\\Fire\nfox\u009b2J 日本語 👩‍👩‍👧')
} else if (scenario !== 'strict') service.addSession('ada@example.com', 'Firefox on Linux')
if (scenario === 'organization') {
  service.addPerson('bob@example.com', '\u001b[2JBob')
  const acme = addOrganization(service, 'Acme', { 'ada@example.com': 'owner', 'bob@example.com': 'member' })
  acme.teams.push({ id: 't1', name: 'Design' })
  addInvitation(addOrganization(service, 'Beta', { 'bob@example.com': 'owner' }), 'ada@example.com', 'bob@example.com')
}
if (scenario === 'links') {
  const email = 'ada@example.com'
  service.links.push({ id: 'a0', provider: 'credential', accountId: 'u-ada', scopes: [], email })
  service.links.push({ id: 'a1', provider: 'google', accountId: 'google-123', scopes: ['email'], email })
  service.isLinkMade = true
}
if (scenario === 'sole') addOrganization(service, 'Solo', { 'ada@example.com': 'owner' })
/** Struck by SIGUSR2, when the test has seen what it waited for; Ink kills a process that has no listener to it left. */
const faults: Readonly<Record<string, () => void>> = {
  uncaught: () => {
    throw new Error('planted failure')
  },
  rejection: () => void Promise.reject(new Error('planted failure')),
  exit: () => process.exit(7),
}
process.on('SIGUSR2', () => faults[scenario]?.())

const isAccessible = process.env.POSTERN_ACCESSIBLE === '1'
const ports = fakePorts(service, process, isAccessible)
// No text where a text is painted: a screen throws.
const broken = { ...ports, accounts: async () => [{ origin: service.origin, email: 7 as never, isCurrent: true }] }
const { runTui } = await import('../main.tsx')
try {
  process.exitCode = await runTui(scenario === 'broken' ? broken : ports, { readOnly: scenario === 'read-only' })
} catch (error) {
  process.stderr.write(`failed: ${Object(error).message}\n`)
  process.exitCode = 1
}
