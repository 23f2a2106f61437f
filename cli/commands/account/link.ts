import type { Command } from 'commander'
import { describeCommand } from '../../argv/command-metadata.ts'
import { scopeFlags } from '../../argv/flags.ts'
import type { Context } from '../../context.ts'
import { startedFields } from '../../flows/device/started.ts'
import { addLink, resumeLink } from '../../flows/link/add.ts'
import { usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { plannedAnswer } from '../dry-run.ts'
import { aboutFlow, addFields, bareFlowCommand, runFlow } from '../flow-command.ts'
import { flowContextOf } from '../flow-context.ts'
import { readArgv, readValues } from '../flow-values.ts'
import { allNeeds, needsOf } from '../needs.ts'
import { reportStarted } from '../started.ts'

export const addLinkCommand = (context: Context): Command => {
  const command = bareFlowCommand(addLink)
    .option('--start', 'only start the link, and print the ticket that --resume needs')
    .option('--open', 'open the page in a browser on this machine')
    .option('--no-open', 'only print its address')
    .action((provider: string | undefined, options: Options) => add(context, command, { ...options, provider }))
  addFields(command, { ticket: resumeLink.fields.ticket })
  const about = aboutFlow(addLink)
  return describeCommand(command, {
    ...about,
    ...allNeeds({ ...about, asks: [] }, needsOf(resumeLink)),
    ends: [...(about.ends ?? []), 'cancelled', 'inputNeeded', 'pending'],
    examples: [...addLink.examples, ...resumeLink.examples],
    others: [plannedAnswer(), { by: '--start', form: 'one', fields: startedFields }],
  })
}

interface Options {
  readonly provider?: string | undefined
  readonly start?: boolean
  readonly resume?: string
  readonly open?: boolean
  readonly wait?: string
  readonly qr?: boolean
}

async function add(context: Context, command: Command, options: Options): Promise<void> {
  if (options.resume !== undefined) return resume(context, command, options)
  return options.start ? start(context, command, options) : wait(context, command, options)
}

function resume(context: Context, command: Command, { provider, start: begins, open }: Options): Promise<void> {
  if (provider === undefined && !begins && open === undefined) return runFlow(context, resumeLink, command)
  throw usageError('--resume continues a started link: it takes nothing but --wait and --qr', help, ['--resume'])
}

async function start(context: Context, command: Command, options: Options): Promise<void> {
  if (options.wait !== undefined || options.qr || options.open !== undefined)
    throw usageError('--start does not wait: leave out --wait, --qr and --open', help, ['--start'])
  const flowContext = flowContextOf(context)
  await flowContext.signedIn()
  const { provider } = await readValues(context, addLink, readArgv(addLink, command), flowContext)
  const { beginLink } = await inBrowser()
  await reportStarted(context, () => beginLink(flowContext, provider))
}

const inBrowser = () => import('../../flows/link/in-browser.ts')

const help = 'postern account link add --help'

/** Without a terminal nobody would read the code: a script starts the link, tells a person, and resumes it. */
async function wait(context: Context, command: Command, { provider = 'PROVIDER', open }: Options): Promise<void> {
  const words = [provider, '--start', '--json', ...scopeFlags(context.flags)]
  const line = commandLine('postern', 'account', 'link', 'add', ...words)
  if (!context.flags.dryRun) context.checkPrompt(['--start'], line)
  const run: typeof addLink.run = async (flowContext, _, values) =>
    (await inBrowser()).linkInBrowser(flowContext, values, open ?? flowContext.browser.isHere)
  await runFlow(context, { ...addLink, run }, command)
}
