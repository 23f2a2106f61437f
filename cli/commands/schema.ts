import { Command } from 'commander'
import type { ZodType } from 'zod'
import { builtOrLiveTree } from '../argv/built-tree.ts'
import { type AnswerSpec, type CommandMetadata, describeCommand } from '../argv/command-metadata.ts'
import { refuseRows } from '../argv/output-flag.ts'
import { type CommandNode, flattenTree, nodeAt } from '../argv/tree.ts'
import type { Context } from '../context.ts'
import { usageError } from '../output/cli-error.ts'
import { jsonText } from '../output/escape-controls.ts'
import { changeStatuses, type FieldType } from '../output/json.ts'

type Schema = Readonly<Record<string, unknown>>

export const schemaCommand = (context: Context): Command => {
  const command: Command = new Command('schema')
    .description(
      'The JSON Schema of the --json output of a command; for org, that of the org apply document; for import, that of a record',
    )
    .argument('[command...]', 'such as session list; default: every command')
    .action((words: string[]) => schema(context, command.parent ?? command, words))
  return describeCommand(command, {
    form: 'none',
    fields: {},
    examples: ['session list', 'org > organization.schema.json', 'import > record.schema.json', ''],
  })
}

async function schema(context: Context, root: Command, words: readonly string[]): Promise<void> {
  refuseRows(context.flags)
  const tree = await builtOrLiveTree(() => root)
  const node = nodeAt(tree, words)
  if (!node) throw usageError(`No command ${words.join(' ')}`, 'See them: postern commands')
  const answer = words.length === 0 ? allSchemas(tree) : await schemaAt(node)
  context.out.text(jsonText(answer, 2), answer)
}

/** What `org apply` and `import` validate their files with. */
const fileSchemas: Readonly<Record<string, () => Promise<ZodType>>> = {
  'postern org': async () => (await import('./org/document/schema.ts')).OrganizationDocument,
  'postern import': async () => (await import('../../shared/moving/records.ts')).MovedRecord,
}

/** `schema org` prints the schema of its document, and `schema import` that of a record. */
async function schemaAt(node: CommandNode): Promise<Schema> {
  const load = fileSchemas[node.path]
  if (!load) return schemaOf(node)
  const [{ toJSONSchema }, type] = await Promise.all([import('./json-schema.ts'), load()])
  return toJSONSchema(type, { io: 'input' })
}

const allSchemas = (tree: CommandNode): Schema =>
  Object.fromEntries(
    flattenTree(tree)
      .filter(({ form }) => form !== 'none')
      .map((branch) => [branch.path, schemaOf(branch)]),
  )

/** If flags change the answer, the schema lists each variant. */
function schemaOf({ others = [], ...main }: AnswerSpec & Pick<CommandMetadata, 'others'>): Schema {
  const answers = [main, ...others.filter(({ form }) => form !== 'none')].map(answerSchema)
  const schema = answers.length === 1 ? answers[0] : { anyOf: answers }
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
}

function answerSchema({ form, fields, counts = [] }: AnswerSpec): Schema {
  const thing = object(Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, typeOf(type)])))
  if (form === 'list')
    return object({ items: { type: 'array', items: thing }, page: object({ total: count, next: text }) })
  if (form === 'change') return object({ status: { enum: changeStatuses }, resource: thing })
  if (form === 'bulk') return object({ results: { type: 'array', items: thing }, summary: summaryOf(counts) })
  return form === 'one' ? thing : {}
}

/** Missing values are null: no field is ever left out. */
const object = (properties: Schema): Schema => ({ type: 'object', properties, required: Object.keys(properties) })

const count: Schema = { type: ['integer', 'null'] }
const text: Schema = { type: ['string', 'null'] }
const number: Schema = { type: 'integer' }
const summaryOf = (counts: readonly string[]): Schema =>
  object(Object.fromEntries(['total', 'succeeded', 'failed', 'skipped', ...counts].map((name) => [name, number])))

const types: Readonly<Record<string, Schema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
  list: { type: 'array' },
  any: {},
}

function typeOf(field: FieldType): Schema {
  const schema = types[field.replace('?', '')] ?? {}
  return field.endsWith('?') ? { ...schema, type: [schema['type'], 'null'] } : schema
}
