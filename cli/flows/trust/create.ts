import { rolesProblem } from '../field-checks.ts'
import type { Flow } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { keysNamed, keyWords } from '../key/keys.ts'
import { nameField } from '../key/new-key.ts'
import { durationProblem, parseSeconds } from '../moment.ts'
import { inChosenOrganization, type OrganizationScope } from '../org/organizations.ts'
import { machineRoleNames, machineRoles, type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { type ListedTrustRule, toListedTrustRule, trustFields } from './trusts.ts'

const fields = {
  name: nameField,
  issuer: {
    kind: 'text',
    label: 'Issuer',
    flag: '--issuer <url>',
    summary: 'the issuer exactly as the tokens have it, like https://gitlab.com',
  },
  audience: {
    kind: 'text',
    label: 'Audience',
    flag: '--audience <audience>',
    summary: 'the audience that the tokens must have; default: the address of the service',
    isOptional: true,
  },
  claims: {
    kind: 'list',
    label: 'Claims',
    flag: '--claim <name=value...>',
    summary: 'claims that a token must have, exactly: repository=acme/site, ref=refs/heads/main',
  },
  roles: {
    kind: 'list',
    label: 'Roles',
    flag: '--role <role...>',
    summary: 'roles that the jobs have in the organization',
    key: 'role',
    complete: machineRoleNames,
  },
  rotates: {
    kind: 'list',
    label: 'Can rotate',
    flag: '--rotates <key...>',
    summary: 'the keys that the jobs can rotate, by id or unique name; default: those created after the rule',
    key: 'rotates',
    complete: keyWords,
    isOptional: true,
  },
  expires: {
    kind: 'text',
    label: 'Sessions last',
    flag: '--expires <time>',
    summary: 'how long a job stays signed in, up to 1h; default: as the service is configured',
    key: 'expiresIn',
    isOptional: true,
    check: (text: string, name: string) => durationProblem(text, name, { least: 60, most: 3600 }),
  },
} as const

export const createTrustRule: Flow<OrganizationScope, typeof fields, OrganizationView, ListedTrustRule> = {
  command: 'key trust create',
  summary: 'Let CI jobs sign in without a secret if their id token has these claims',
  title: 'Trust a CI provider',
  subject: inChosenOrganization,
  fields,
  call: '/key/trust/create',
  answer: trustFields,
  examples: [
    'site --issuer https://token.actions.githubusercontent.com --claim repository=acme/site ref=refs/heads/main --role admin',
    'rotation --issuer https://gitlab.com --claim project_path=acme/ops --role admin --rotates deploy invite',
    'site --org acme --issuer https://gitlab.com --claim project_path=acme/site --role member --expires 10m',
  ],
  note: () => 'A token must have every claim with exactly this value. Separate claims by commas: repository=acme/site.',
  disabledReason: (_, view) => whyNotPermitted(view, 'member:create'),
  initial: () => ({ issuer: 'https://token.actions.githubusercontent.com' }),
  options: (_, view) => ({ roles: machineRoles(view) }),
  check: ({ roles = [], claims = [] }) => ({
    claims: claimProblem(claims),
    roles: rolesProblem(roles),
  }),
  run: async (context, { organizationId = '' }, { name, issuer, audience, claims, roles, rotates, expires }) => {
    const { api } = await context.signedIn()
    const expiresIn = expires ? parseSeconds(expires) : undefined
    const made = await api.trust.createTrust({
      name,
      organizationId,
      issuer,
      claims: claimsOfWords(claims),
      role: [...roles],
      ...(audience && { audience }),
      ...(await namedKeys(context, rotates)),
      ...(expiresIn !== undefined && { expiresIn }),
    })
    const sentence = `Jobs with these claims sign in as ${made.role.join(', ')}`
    const notes = [`Their tokens must have the audience ${made.audience}`]
    return { sentence, status: 'created', resource: toListedTrustRule(made), notes }
  },
}

/** The keys' ids; an empty object if none is named. */
async function namedKeys(context: FlowContext, words: readonly string[] | undefined): Promise<{ rotates?: string[] }> {
  if (!words || words.length === 0) return {}
  return { rotates: (await keysNamed(context, words)).map(({ id }) => id) }
}

/** A claim can contain a comma: a part without a name continues the previous claim. */
const wholeClaims = (words: readonly string[]): readonly string[] =>
  words.reduce<readonly string[]>((claims, word) => {
    const before = claims.at(-1)
    return word.includes('=') || before === undefined
      ? [...claims, word]
      : [...claims.slice(0, -1), `${before},${word}`]
  }, [])

const pairOf = (claim: string): readonly [name: string, value: string] => {
  const at = claim.indexOf('=')
  return [claim.slice(0, at).trim(), claim.slice(at + 1).trim()]
}

/** `repository=acme/site` each; the first `=` ends the name. */
export const claimsOfWords = (words: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(wholeClaims(words).map(pairOf))

/** What is wrong with the claims, before anything is sent. */
function claimProblem(words: readonly string[]): string | undefined {
  if (words.length === 0) return 'At least one claim is needed'
  const pairs = wholeClaims(words).map((claim) => [claim, ...pairOf(claim)] as const)
  const wrong = pairs.find(([claim, name, value]) => !claim.includes('=') || name === '' || value === '')
  if (wrong) return `A claim looks like repository=acme/site, not ${wrong[0]}`
  const names = pairs.map(([, name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `The claim ${twice} is given twice, but a token has one value for it`
}
