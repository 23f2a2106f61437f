import { type Command, Option } from 'commander'
import type { AnswerSpec, CommandMetadata } from '../argv/command-metadata.ts'
import { several } from '../argv/several.ts'
import type { FlowFacts } from '../flows/flow.ts'
import type { AnswerFields } from '../output/json.ts'
import { bulkFields } from './bulk.ts'
import { type CsvFlow, csvColumns, inputColumn } from './csv-columns.ts'
import { plannedAnswer } from './dry-run.ts'

/** Lets a command read its inputs from stdin, and all its values from a CSV file. */
export function takeSeveral(command: Command, flow: CsvFlow): void {
  const argument = command.registeredArguments.find((one) => one.name() === inputColumn(flow))
  if (argument) argument.description += '; - reads them from stdin, one per line'
  const columns = csvColumns(flow).map(({ name }) => name)
  command.addOption(
    new Option(
      '--csv <file>',
      `read them from a CSV file instead, - for stdin, with these columns: ${columns.join(', ')}`,
    ),
  )
  command.on('option:csv', () => {
    for (const one of command.registeredArguments) one.required = false
  })
}

type Answers = Pick<CommandMetadata<AnswerFields>, 'form' | 'fields' | 'others'>

/** The answers of a flow's command: about one thing, about several, and under --dry-run. */
export function answersOf(flow: Pick<FlowFacts, 'answer' | 'bulk' | 'answersOne' | 'isLocal'>): Answers {
  const { answer, bulk, answersOne, isLocal } = flow
  const results = { ...bulkFields, ...('token' in answer && ({ token: 'text?' } as const)) }
  const ofOne: AnswerSpec<AnswerFields> = { form: 'change', fields: answer }
  const ofSeveral: AnswerSpec<AnswerFields> = { form: 'bulk', fields: results }
  if (!bulk) return { ...ofOne, ...(!isLocal && { others: [plannedAnswer()] }) }
  if (!answersOne) return { ...ofSeveral, ...(!isLocal && { others: [plannedAnswer(results)] }) }
  const each = { ...ofSeveral, by: several }
  if (isLocal) return { ...ofOne, others: [each] }
  const plans = { ...plannedAnswer(results), by: `${several} with --dry-run` }
  return { ...ofOne, others: [plans, each, plannedAnswer()] }
}
