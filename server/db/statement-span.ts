import { inChildSpan, type SpanDescription } from '../tracing/spans.ts'
import { type Statement, textOf } from './statement.ts'

/** Sends statements in a span, when a request's span is active. One span tells of one round trip. */
export const traced = <T>(statements: readonly Statement[], send: () => Promise<T>): Promise<T> =>
  inChildSpan(() => describeTrip(statements), send)

/** Spans contain the texts of statements, never their values. */
function describeTrip(statements: readonly Statement[]): SpanDescription {
  const texts = statements.map(textOf)
  const summary = texts.map(summaryOf).join('; ')
  return {
    name: summary,
    kind: 'CLIENT',
    attributes: {
      'db.system.name': 'postgresql',
      'db.query.summary': summary,
      'db.query.text': texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()).join('; '),
      ...(texts.length > 1 ? { 'db.operation.batch.size': texts.length } : {}),
    },
  }
}

const summaries = new Map<string, string>()

/** `INSERT users, SELECT sessions`: what a statement does to which tables. */
function summaryOf(text: string): string {
  const known = summaries.get(text)
  if (known !== undefined) return known
  const named = new Set(Array.from(text.matchAll(/(\w+)"? as (?:(?:not )?materialized )?\(/g), ([, name]) => name))
  const acts = Array.from(text.matchAll(act), ([, verb = '', changed, read]) => [verbs[verb], changed ?? read] as const)
  const told = acts.filter(([, table]) => !named.has(table)).map(([verb = 'SELECT', table]) => `${verb} ${table}`)
  const summary = [...new Set(told)].join(', ') || (/\w+/.exec(text)?.[0].toUpperCase() ?? 'SELECT')
  summaries.set(text, summary)
  return summary
}

const verbs: Readonly<Record<string, string>> = { 'insert into': 'INSERT', update: 'UPDATE', 'delete from': 'DELETE' }

/** Not `for update`, `do update`, `is distinct from`, `extract(epoch from …)`, nor a function in place of a table. */
const act =
  /(?<!\b(?:for|key|do|distinct|extract\(\w+) )\b(?:(insert into|update|delete from) (?:only )?"?(\w+)|(?:from|join) (?:only )?"?(\w+)"?(?!\w|\s*\())/g
