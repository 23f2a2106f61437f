import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ciClaims, jobToken } from '../../server/testing/key-answers.ts'
import { linkTo } from '../../server/testing/mailed.ts'
import { testPassword } from '../../server/testing/service.ts'
import { idTokenOf } from '../../server/testing/social.ts'
import { localCommands } from './local-commands.ts'
import { type ProviderService, startProviderService } from './provider-service.ts'
import type { Runner } from './run-cli.ts'

/** One command line of somebody, which succeeds when its turn comes. */
export interface Step {
  readonly who: Who
  /** PASSWORD and NEW stand for files. */
  readonly line: string
  readonly stdin?: string | ((world: World) => Promise<string>)
  /** Instead of 0. */
  readonly code?: number
  /** Also possible, besides 11, when the answer to that call is a lie. */
  readonly whenLied?: Readonly<Record<string, readonly number[]>>
  /** Ends what this machine keeps, whatever the service says. */
  readonly endsHere?: true
  /** Words for the placeholders of the line, looked up when its turn comes. */
  readonly words?: (world: World) => Promise<Readonly<Record<string, string>>>
}

type Who = 'ann' | 'ben' | 'cy' | 'job' | 'new'

export interface World {
  readonly own: ProviderService
  readonly machines: Readonly<Record<Who, Runner>>
}

/** Ann, who administers the service and owns an organization, two others, and machines where nobody is signed in. */
export async function startWorld(): Promise<World> {
  const own = await startProviderService(['GOOGLE'], { EMAIL_CHANGE: 'on', DELETE_USER: 'on' })
  const [ann, ben, cy] = await Promise.all(['Ann', 'Ben', 'Cy'].map((name) => own.person(name)))
  const machines = { ann: ann!, ben: ben!, cy: cy!, job: own.machine(), new: own.machine() }
  await own.service.deps.sql`update users set roles = '{admin}' where email = 'ann@example.com'`
  for (const { folder } of Object.values(machines)) {
    writeFileSync(join(folder, 'password'), testPassword)
    writeFileSync(join(folder, 'new'), 'four words of another kind')
    writeFileSync(join(folder, 'document'), document)
  }
  await own.linkGoogle('ben@example.com')
  await own.linkGoogle('cy@example.com')
  return { own, machines }
}

const document = `organization:
  slug: globex
  name: Globex
teams: [{name: Ops}]
members: [{email: ann@example.com, roles: [owner]}]
invitations: [{email: new@example.com, roles: [member]}]
`

const sessionOf = (email: string) => async (world: World) => {
  const [row] = await world.own.service.deps.sql<{ id: string }[]>`
    select s.id from sessions s join users u on u.id = s.user_id where u.email = ${email} order by s.created_at desc`
  return { SESSION: row?.id ?? '' }
}
const mailed =
  (email: string, kind: string) =>
  async ({ own }: World) =>
    (await linkTo(own.service, email, kind)).url
const ticketOf =
  (who: Who) =>
  async ({ machines }: World) => ({
    TICKET: readdirSync(join(machines[who].folder, 'state', 'tickets'))[0]?.replace('.json', '') ?? '',
  })
/** A bulk command tells of each item what became of it. */
const partial = {
  'POST /organization/update-team': [13],
  'POST /organization/remove-team-member': [13],
  'POST /organization/invite-member': [13],
}
const ofRead = { 'GET /organization/get-full-organization': [13], 'GET /organization/list-roles': [13] }
const steps = (who: Who, ...lines: readonly string[]): readonly Step[] => lines.map((line) => ({ who, line }))

/** What speaks to no service, or to its database, or waits for a terminal, or prints an answer as it came. */
export const withoutStep: readonly string[] = [
  ...localCommands,
  'auth token',
  'admin bootstrap',
  // Finds no mail that it could resend: what is waiting is on its way.
  'admin mail resend',
  'api',
  'tui',
  'serve',
  'backup',
  'restore',
  'migrate',
  'import',
  'export',
  'dev mail',
]

/** Every command that speaks to the service, in an order in which each finds what it needs. */
export const story: readonly Step[] = [
  ...steps('new', 'sign-up --email eve@example.com --name Eve --password-file PASSWORD'),
  { who: 'new', line: 'sign-out', endsHere: true },
  ...steps('new', 'sign-in --email eve@example.com --password-file PASSWORD'),
  { who: 'new', line: 'account email verify --send' },
  { who: 'new', line: 'account email verify -', stdin: mailed('eve@example.com', 'verify-email') },
  ...steps('new', 'account password forgot --email eve@example.com'),
  {
    who: 'new',
    line: 'account password reset - --password-file NEW',
    stdin: mailed('eve@example.com', 'reset-password'),
  },
  {
    who: 'new',
    line: 'sign-in --token-file -',
    stdin: async ({ machines }) => (await machines.ben('auth token')).stdout,
  },
  {
    who: 'job',
    line: 'sign-in --provider google --id-token-file -',
    stdin: async ({ own }) => idTokenOf(own.provider),
  },
  ...steps('job', 'sign-in --provider google --start'),
  { who: 'job', line: 'sign-in --resume TICKET --wait 0', code: 8, words: ticketOf('job'), endsHere: true },
  ...steps(
    'ann',
    'whoami',
    'auth status',
    'auth refresh',
    'account view',
    'account activity',
    'account edit --name Anna',
    'account password set --current-password-file PASSWORD --password-file NEW',
    'session list',
    'session edit --label desk',
  ),
  { who: 'ann', line: 'session view SESSION', words: sessionOf('ann@example.com') },
  { who: 'ben', line: 'session revoke SESSION --yes', words: sessionOf('ben@example.com') },
  ...steps('ben', 'sign-in --email ben@example.com --password-file PASSWORD'),
  ...steps('cy', 'session revoke --others --yes', 'session revoke --all --yes'),
  ...steps('cy', 'sign-in --email cy@example.com --password-file PASSWORD', 'account email set cyd@example.com'),
  ...steps('cy', 'account link add google --start'),
  { who: 'cy', line: 'account link add --resume TICKET --wait 0', code: 8, words: ticketOf('cy'), endsHere: true },
  ...steps('cy', 'account link list', 'account link refresh google', 'account link remove google --yes'),
  ...steps(
    'ann',
    'org create Acme --slug acme',
    'org list',
    'org view acme',
    'org edit acme --name Acmes',
    'org use acme',
    'org slug check other',
    'org activity',
    'org export acme',
  ),
  // Reads what it has just created.
  { who: 'ann', line: 'org apply -f DOCUMENT', whenLied: { ...partial, ...ofRead } },
  ...steps(
    'ann',
    'member list -O acme',
    'member view ann@example.com -O acme',
    'member me -O acme',
    'invitation list -O acme',
  ),
  {
    who: 'ann',
    line: 'invitation create ben@example.com cyd@example.com cy@example.com --role member -O acme',
    whenLied: partial,
  },
  ...steps('ann', 'invitation view ben@example.com -O acme', 'invitation resend ben@example.com -O acme'),
  ...steps('ben', 'invitation accept acme'),
  ...steps('cy', 'invitation reject acme'),
  ...steps('ann', 'invitation wait ben@example.com -O acme', 'invitation create cy@example.com --role member -O acme'),
  ...steps('cy', 'invitation accept acme', 'org leave acme --yes'),
  ...steps(
    'ann',
    'invitation create dan@example.com --role member -O acme',
    'invitation cancel dan@example.com -O acme --yes',
    'member role set ben@example.com admin -O acme',
    'team list -O acme',
    'team create Ops -O acme',
    'team edit Ops --name Art -O acme',
    'team member add ben@example.com --team Art -O acme',
    'team member list --team Art -O acme',
    'team member add ann@example.com --team Art -O acme',
    'team use Art -O acme',
    'team use -',
    'team list --mine',
    'team member remove ann@example.com --team Art -O acme --yes',
    'team member remove ben@example.com --team Art -O acme --yes',
    'team delete Art -O acme --yes',
    'role list -O acme',
    'role view admin -O acme',
    'role check member:create -O acme',
    'role create editor --permission team:create -O acme',
    'role edit editor --name writer -O acme',
    'role delete writer -O acme --yes',
  ),
  // Its secret is told once: what fails afterwards hides it from nobody.
  { who: 'ben', line: 'key create deploy --role member -O acme', whenLied: { 'GET /key/list': [0] } },
  ...steps('ben', 'key view deploy -O acme', 'key rotate deploy -O acme'),
  {
    who: 'ben',
    line: `key trust create site --issuer ISSUER --claim repository=${ciClaims.repository} --role member -O acme`,
    words: async ({ own }) => ({ ISSUER: own.provider.url }),
  },
  {
    who: 'job',
    line: 'sign-in --oidc --id-token-file - -O acme',
    stdin: ({ own }) => jobToken(own.service, own.provider),
  },
  ...steps(
    'ann',
    'key list -O acme',
    'key adopt deploy -O acme',
    'key trust list -O acme',
    'key trust adopt site -O acme',
    'key trust delete site -O acme --yes',
    'key revoke deploy -O acme --yes',
    'webhook create https://receiver.example.com/hook -O acme --event member',
    'webhook list -O acme',
    'webhook view https://receiver.example.com/hook -O acme',
    'webhook edit https://receiver.example.com/hook -O acme --paused on',
    'webhook rotate https://receiver.example.com/hook -O acme',
    'webhook resume https://receiver.example.com/hook -O acme',
  ),
  // Nobody receives there.
  { who: 'ann', line: 'webhook test https://receiver.example.com/hook -O acme', code: 16 },
  ...steps(
    'ann',
    'webhook delete https://receiver.example.com/hook -O acme --yes',
    'member remove ben@example.com -O acme --yes',
    'org delete globex --confirm globex',
    'admin user list',
    'admin user view ben@example.com',
    'admin user create --email fay@example.com --name Fay --password-file PASSWORD',
    'admin user edit fay@example.com --name Fey --verified on',
    'admin user unlock fay@example.com',
    'admin user export fay@example.com',
    'account export',
    'admin mail list',
    'admin mail release --yes',
    'admin user ban fay@example.com --reason spam --yes',
    'admin user unban fay@example.com',
    'admin user role set fay@example.com admin --yes',
    'admin user password set fay@example.com --password-file NEW --yes',
    'admin session list ben@example.com',
    'admin session revoke cy@example.com --all --yes',
    'admin user delete fay@example.com --confirm fay@example.com',
    'admin audit list',
    'admin keys rotate --yes',
    'admin user impersonate ben@example.com --yes',
  ),
  { who: 'ann', line: 'admin impersonation stop', endsHere: true },
  { who: 'ann', line: 'wait --timeout 1s', whenLied: { 'GET /ready': [10] } },
  {
    who: 'ann',
    line: 'doctor',
    whenLied: { 'GET /ready': [16], 'GET /openapi.json': [0, 16], 'GET /get-session': [16] },
  },
  ...steps('ben', 'org create Own --slug own'),
  ...steps('ben', 'account delete --confirm ben@example.com --password-file PASSWORD'),
]
