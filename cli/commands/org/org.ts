import { Argument, Command } from 'commander'
import type { Organization } from '../../../shared/organization.ts'
import { type CommandMetadata, describeCommand, withCompleter } from '../../argv/command-metadata.ts'
import { collect } from '../../argv/flags.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { FlowResult } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import { organizationActivity } from '../../flows/org/activity.ts'
import { createOrganization, editOrganization, slugCheck } from '../../flows/org/create.ts'
import { organizationList, organizationSheet } from '../../flows/org/list.ts'
import { organizationSlugs, organizationTitle, toOrganization } from '../../flows/org/organizations.ts'
import { deleteOrganization, leaveOrganization, switchOrganization } from '../../flows/org/own-acts.ts'
import { toCliError } from '../../output/error-report.ts'
import type { AnswerFields } from '../../output/json.ts'
import { bulkFields } from '../bulk.ts'
import { aboutFlow, bareFlowCommand, flowCommand, runFlow } from '../flow-command.ts'
import { ifExistsOption } from '../if-exists.ts'
import { checkCommand, listCommand, viewCommand } from '../read-command.ts'
import { trailCommand } from '../trail-command.ts'
import type { ApplyOptions } from './document/apply.ts'

export const orgCommand = (context: Context): Command =>
  noun('org', { summary: 'Organizations', plural: 'orgs' }, [
    listCommand(context, organizationList),
    orgCreateCommand(context),
    viewCommand(context, organizationSheet),
    flowCommand(context, editOrganization),
    flowCommand(context, deleteOrganization),
    orgUseCommand(context),
    flowCommand(context, leaveOrganization),
    noun('slug', { summary: 'Slugs: the names of organizations in addresses and commands' }, [
      checkCommand(context, slugCheck),
    ]),
    trailCommand(context, organizationActivity),
    orgExportCommand(context),
    orgApplyCommand(context),
  ])

const ifExists = ifExistsOption('if one of your organizations has that slug: fail, or skip and leave it unchanged')

function orgCreateCommand(context: Context): Command {
  const command = bareFlowCommand(createOrganization)
    .addOption(ifExists)
    .action(() => runFlow(context, command.opts()['ifExists'] === 'skip' ? createOrSkip : createOrganization, command))
  return describeCommand(command, aboutFlow(createOrganization))
}

const createOrSkip: typeof createOrganization = {
  ...createOrganization,
  run: async (flowContext, subject, values) => {
    const existing = await findOwn(flowContext, values.slug)
    if (existing) return existing
    try {
      return await createOrganization.run(flowContext, subject, values)
    } catch (error) {
      // Another run of ours could have created it meanwhile.
      const twin = isTaken(error) ? await findOwn(flowContext, values.slug) : undefined
      if (twin) return twin
      throw error
    }
  },
}

async function findOwn(flowContext: FlowContext, slug: string): Promise<FlowResult<Organization> | undefined> {
  const { api } = await flowContext.signedIn()
  const found = (await api.organization.list()).find((organization) => organization.slug === slug.toLowerCase())
  return (
    found && {
      sentence: `${organizationTitle(found)} exists already`,
      status: 'unchanged',
      resource: toOrganization(found),
    }
  )
}

const isTaken = (error: unknown): boolean => toCliError(error).code === 'ORGANIZATION_ALREADY_EXISTS'

/** What a document can change, by path: the steps that do it are loaded later. */
const applyCalls = [
  '/organization/create',
  '/organization/update',
  '/organization/create-role',
  '/organization/update-role',
  '/organization/delete-role',
  '/organization/create-team',
  '/organization/update-team',
  '/organization/remove-team',
  '/organization/invite-member',
  '/organization/cancel-invitation',
  '/organization/update-member-role',
  '/organization/remove-member',
  '/organization/add-team-member',
  '/organization/remove-team-member',
]

const aboutApply: CommandMetadata<AnswerFields> = {
  form: 'bulk',
  fields: {
    ...bulkFields,
    organization: 'text',
    kind: 'text',
    action: 'text',
    changes: 'list',
    differences: 'any',
  },
  counts: ['changed'],
  calls: applyCalls,
  needsSession: true,
  consent: '--confirm',
  ends: ['partial'],
  examples: [
    '-f acme.yaml --dry-run',
    '-f acme.yaml --dry-run --exit-code --json=input,action',
    '-f acme.yaml',
    '-f acme.yaml --prune --confirm acme',
    '-f acme.yaml -f globex.yaml --dry-run',
    "postern org export acme | sed 's/acme/globex/' | postern org apply -f -",
  ],
}

const orgApplyCommand = (context: Context): Command =>
  describeCommand(
    new Command('apply')
      .description('Create or change organizations to match documents; people who are not members yet are invited')
      .requiredOption(
        '-f, --file <file>',
        'YAML or JSON, as written by org export and described by schema org; several documents in a file, or several -f; - for stdin',
        collect,
      )
      .option('--dry-run', 'show what would change, without changing it')
      .option('--exit-code', 'with --dry-run: exit 0 if nothing would change, 13 if something would')
      .option('--prune', 'also remove roles, teams, members and invitations that are not listed; needs --confirm SLUG')
      .action(async (options: ApplyOptions) => {
        const { applyDocuments } = await import('./document/apply.ts')
        await applyDocuments(context, options)
      }),
    aboutApply,
  )

const summary = 'id, slug or name; default: --org, else the active one'

const orgExportCommand = (context: Context): Command =>
  describeCommand(
    new Command('export')
      .description('An organization with its roles, teams, members and invitations as a YAML document, for org apply')
      .addArgument(withCompleter(new Argument('[org]', summary), organizationSlugs))
      .action(async (word: string | undefined) => {
        const { exportDocument } = await import('./document/export.ts')
        await exportDocument(context, word)
      }),
    {
      form: 'one',
      fields: { organization: 'any', roles: 'list', teams: 'any', members: 'list', invitations: 'list' },
      calls: ['/organization/get-full-organization'],
      needsSession: true,
      examples: ['acme > acme.yaml', '--json=members'],
    },
  )

function orgUseCommand(context: Context): Command {
  const command = bareFlowCommand(switchOrganization).action(async () => {
    await runFlow(context, switchOrganization, command)
    const { value, from } = context.settings.organization
    if (value !== undefined) context.out.warn(`${from} names ${value}, which overrides the active organization`)
  })
  return describeCommand(command, aboutFlow(switchOrganization))
}
