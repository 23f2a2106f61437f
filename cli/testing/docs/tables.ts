import { PoolLoad } from '../../../server/db/pool-load.ts'
import { createMetrics, type MetricSources } from '../../../server/metrics/create-metrics.ts'
import { auditEventNames } from '../../../shared/audit-events.ts'
import type { Call } from '../../../shared/contract/call.ts'
import { callerOf } from '../../../shared/contract/caller-words.ts'
import { contract } from '../../../shared/contract/index.ts'
import { catalogue, type FailureName } from '../../../shared/errors.ts'
import { exitCodeOf } from '../../../shared/exit-codes.ts'
import { codeInBody, fillField, redirectFields, wireOf } from '../../../shared/failure.ts'
import { organizationRoles, platformRoles, type Roles } from '../../../shared/permissions.ts'
import { flagDescriptions } from '../../argv/flags.ts'
import { liveTree } from '../../argv/live-tree.ts'
import { type CommandNode, flattenTree } from '../../argv/tree.ts'
import { createContext } from '../../context.ts'
import { hostOf } from '../../process/own-host.ts'
import { createProgram } from '../../program.ts'
import { topics } from '../../topics/topics.ts'
import { clientMethodsTable } from './client-methods.ts'
import { clientTermsTable, shownCode } from './client-terms.ts'
import { eventWords } from './event-words.ts'
import { extensionsTable, hooksTable, mailsTable } from './extension-words.ts'
import { loadParts } from './load.ts'
import { code, table } from './markdown.ts'
import { performanceParts } from './performance.ts'
import { scalingParts } from './scaling.ts'
import { limitsTable, providerOptionsTable, providersTable, settingsTable } from './setting-tables.ts'

/** Every generated part of the documents, by the name in its mark. */
export async function generatedParts(): Promise<Readonly<Record<string, string>>> {
  return {
    settings: settingsTable(),
    providers: providersTable(),
    'provider-options': providerOptionsTable(),
    hooks: hooksTable(),
    extensions: extensionsTable(),
    mails: mailsTable(),
    limits: limitsTable(),
    events: table(
      ['Event', 'What happened'],
      auditEventNames.map((name) => [code(name), eventWords[name]]),
    ),
    metrics: await metricsTable(),
    errors: errorsTable(),
    calls: callsTables(),
    'client-methods': clientMethodsTable(),
    'client-terms': clientTermsTable(),
    'organization-roles': rolesTable(organizationRoles),
    'platform-roles': rolesTable(platformRoles),
    'exit-codes': table(['Code', 'Meaning'], await rowsOfTopic('exit-codes')),
    environment: table(['Variable', 'Meaning'], codeFirst(await rowsOfTopic('environment'))),
    flags: table(['Flag', 'Meaning'], codeFirst(flagDescriptions())),
    commands: commandsTable(await programTree()),
    keys: await topicText('keys'),
    ...loadParts(),
    ...performanceParts(),
    ...scalingParts(),
  }
}

/** The commands as a run without arguments has them. */
export async function programTree(): Promise<CommandNode> {
  return liveTree(await createProgram(createContext(hostOf(() => new AbortController().signal))))
}

const codeFirst = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([first, second]) => [first.split(', ').map(code).join(', '), second])

const topicText = async (name: string): Promise<string> => `\`\`\`text\n${await topics[name]?.text(100)}\n\`\`\``

const rowsOfTopic = async (name: string) => rowsIn(String(await topics[name]?.text(100)))

/** What a topic shows in two columns. */
const rowsIn = (text: string): readonly (readonly [string, string])[] =>
  Array.from(text.matchAll(/^ +([^\s,]+(?:, [^\s,]+)*) +(\S.*)$/gm), ([, first = '', second = '']) => [first, second])

function commandsTable(root: CommandNode): string {
  const rows = flattenTree(root)
    .filter(({ commands, arguments: words }) => commands.length === 0 || words.length > 0)
    .map((node) => [code([node.path, ...node.arguments.map(argumentText)].join(' ')), node.summary])
  return table(['Command', 'What it does'], rows)
}

function argumentText({ name, required, variadic }: CommandNode['arguments'][number]): string {
  const word = variadic ? `${name}...` : name
  return required ? `<${word}>` : `[${word}]`
}

/** Every metric, with the labels that it has once something was counted. */
async function metricsTable(): Promise<string> {
  const queue = { running: 0, waiting: 0, refused: 0 } as MetricSources['passwords']['queue']
  const outbox = () => Promise.resolve({ waiting: 0, parked: 0, held: 0, oldest: 0 })
  const metrics = createMetrics({ passwords: { queue }, pool: new PoolLoad(1), version: '', outbox })
  const { observer } = metrics
  observer.request('', 200, 1)
  observer.event('sign-in-done', '', undefined)
  observer.actRefused('')
  observer.withheld('', '')
  observer.listRead('primary')
  observer.webhookTried('delivered')
  observer.swept('', 1)
  const told = await metrics.text()
  metrics.stop()
  const rows = Array.from(
    told.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)/gm),
    ([, name = '', help = '', type = '']) => [code(name), type, labelsOf(told, name).map(code).join(', '), help],
  )
  return table(['Metric', 'Type', 'Labels', 'Meaning'], rows)
}

const labelsOf = (told: string, name: string): readonly string[] => {
  const [, labels = ''] = RegExp(`^${name}(?:_sum)?\\{(.*)\\}`, 'm').exec(told) ?? []
  return Array.from(labels.matchAll(/(\w+)=/g), ([, label = '']) => label)
}

const errorRow =
  (name: FailureName) =>
  (field?: string): [string, string, string, string] => {
    const { status, body } = wireOf(name, field)
    const sent = body === null ? undefined : codeInBody(body)
    const { message } = catalogue[name]
    return [
      sent === undefined ? '(empty body)' : shownCode(sent),
      String(status),
      field === undefined ? message : fillField(message, field),
      String(exitCodeOf(status, sent)),
    ]
  }

/** Each code once for each status; a code that is not in the body has none. */
function errorsTable(): string {
  const rows = (Object.keys(catalogue) as FailureName[])
    .flatMap((name) => (name === 'INVALID_REDIRECT_TARGET' ? redirectFields.map(errorRow(name)) : [errorRow(name)()]))
    .toSorted(([one, status], [other, second]) => one.localeCompare(other) || Number(status) - Number(second))
  const lines = new Map(rows.map((row) => [`${row[0]} ${row[1]} ${row[2]}`, row]))
  return table(['Code', 'Status', 'Message', 'Exit code'], [...lines.values()])
}

/** A table for each noun of the contract. */
function callsTables(): string {
  return Object.entries(contract)
    .map(([noun, calls]) => {
      const rows = Object.values<Call>(calls).map((call) => [
        code(`${call.method} ${call.path}`),
        callerOf(call),
        call.scope === undefined ? '' : code(call.scope),
        call.summary,
      ])
      return `### ${noun}\n\n${table(['Call', 'Caller', 'Key scope', 'What it does'], rows)}`
    })
    .join('\n\n')
}

const rolesTable = (roles: Roles): string =>
  table(
    ['Role', 'Permissions'],
    Object.entries(roles).map(([role, actions]) => [
      code(role),
      Object.entries(actions)
        .flatMap(([resource, names]) => names.map((name) => code(`${resource}:${name}`)))
        .join(' ') || 'none',
    ]),
  )
