import type { Command } from 'commander'
import { describeCommand } from '../../argv/command-metadata.ts'
import type { Context } from '../../context.ts'
import type { Flow, FlowResult } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import { type ListedKey, toListedKey } from '../../flows/key/keys.ts'
import { createKey, createOwnKey } from '../../flows/key/new-key.ts'
import { usageError } from '../../output/cli-error.ts'
import { sameWords } from '../../output/words.ts'
import { aboutFlow, bareFlowCommand, runFlow } from '../flow-command.ts'
import { alreadyExistsError, ifExistsOption } from '../if-exists.ts'
import { allNeeds, needsOf } from '../needs.ts'

interface Options {
  readonly mine?: boolean
  readonly role?: readonly string[]
  readonly csv?: string
  readonly ifExists: string
}

const ifExists = ifExistsOption(
  'if a valid key of that name exists: create another one, fail, or skip if it is the same; its secret is not shown again',
  ['create', 'fail', 'skip'],
)

/** Without a role, --csv and --org, the key belongs to the person. */
export const keyCreateCommand = (context: Context): Command => {
  const command = bareFlowCommand(createKey)
    .option('--mine', 'a key that acts as the signed-in user')
    .addOption(ifExists)
    .action((_: readonly string[], options: Options) => create(context, command, options))
  // Roles are asked for with --org alone, so not of every key.
  const needs = allNeeds(needsOf(createOwnKey), needsOf(createKey), { ends: ['cancelled', 'inputNeeded'] })
  const about = { ...aboutFlow(createKey), ...needs }
  return describeCommand(command, {
    ...about,
    examples: [...about.examples, 'deploy --role admin --if-exists skip', '--csv keys.csv --json > keys.json'],
  })
}

function create(context: Context, command: Command, { mine, role, csv, ifExists: choice }: Options): Promise<void> {
  if (mine && role)
    throw usageError(
      '--mine and --role cannot be combined: your own key has your permissions',
      'Limit it with --scope, or leave out one of the two: postern key create --help',
      ['--mine', '--role'],
    )
  const isOfOrganization = [role, csv, context.flags.org].some((given) => given !== undefined)
  const isOwn = mine ?? !isOfOrganization
  return isOwn ? runFlow(context, ownUnless(choice), command) : runFlow(context, ofOrganizationUnless(choice), command)
}

const ownUnless = (choice: string): Flow<undefined, typeof createOwnKey.fields> => ({
  ...createOwnKey,
  run: async (flowContext, subject, values) =>
    (await findNamed(flowContext, undefined, values, choice)) ?? createOwnKey.run(flowContext, subject, values),
})

type Scope = Parameters<typeof createKey.run>[1]
type View = Parameters<NonNullable<typeof createKey.disabledReason>>[1]

const ofOrganizationUnless = (choice: string): Flow<Scope, typeof createKey.fields, View> => ({
  ...createKey,
  run: async (flowContext, subject, values) =>
    (await findNamed(flowContext, subject.organizationId, values, choice)) ??
    createKey.run(flowContext, subject, values),
})

type Values = Parameters<typeof createOwnKey.run>[2] & Partial<Pick<Parameters<typeof createKey.run>[2], 'roles'>>

/** Never guess what a key can do: a key of that name with other roles or limits is an error. */
async function findNamed(
  flowContext: FlowContext,
  organizationId: string | undefined,
  values: Values,
  choice: string,
): Promise<FlowResult<ListedKey> | undefined> {
  if (choice === 'create') return undefined
  const { api } = await flowContext.signedIn()
  const { name } = values
  const listed = await api.key.listKeys(organizationId === undefined ? {} : { organizationId })
  const found = listed.map((key) => toListedKey(key, flowContext.now())).filter((key) => key.name === name)
  const valid = found.filter(({ status }) => status !== 'expired')
  if (valid.length === 0) return undefined
  const same = valid.find((key) => isAsAsked(key, values))
  if (!same)
    throw alreadyExistsError(`There is a key ${name} already, with other roles or limits`, 'See it: postern key list')
  if (choice === 'fail') throw alreadyExistsError(`There is a key ${name} already`)
  return {
    sentence: `The key ${name} exists already; its secret is not shown again`,
    status: 'unchanged',
    resource: same,
    lacksSecret: true,
  }
}

/** Options that were not given are not compared, and how long it lasts never is. */
const isAsAsked = ({ roles, scopes, ipRanges, rotatesItself }: ListedKey, asked: Values): boolean =>
  (rotatesItself || !asked.rotatesItself) &&
  sameWords(roles, asked.roles ?? roles) &&
  sameWords(scopes ?? [], asked.scopes ?? scopes ?? []) &&
  sameWords(ipRanges, asked.ranges ?? ipRanges)
