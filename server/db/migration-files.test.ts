import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { concurrentIndexOf } from './build-index.ts'

const folder = new URL('../../migrations/', import.meta.url)
const names = readdirSync(folder).toSorted()
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
/** It and those before stay as they are. */
const lastUnchecked = '0070_slow_erasures.sql'

/** Without comments and bodies of functions. */
const statementsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$\$[^]*?\$\$/g, '')
    .split(';')
    .map((statement) => statement.trim().toLowerCase())

const tablesIn = (text: string, pattern: RegExp): readonly string[] =>
  statementsOf(text).flatMap((statement) => pattern.exec(statement)?.slice(1) ?? [])

const madeIn = (text: string) => tablesIn(text, /^create table (?:if not exists )?(\w+)/)
const alteredIn = (text: string) => tablesIn(text, /^alter table (?:if exists )?(?:only )?(\w+)/)
const updatedIn = (text: string) => tablesIn(text, /^update (?:only )?(\w+)/)
const indexedIn = (text: string) =>
  tablesIn(text, /^create (?:unique )?index (?!concurrently)[^]*?\bon (?:only )?(\w+)/)

/** What would hold up requests for as long as a large table is read, and what to write instead. */
function problemsOf(text: string, earlier: readonly string[]): readonly string[] {
  const concurrent = concurrentIndexOf(text)
  if (concurrent)
    return concurrent.table === 'audit_events' ? ['the months of audit_events need their own indexes'] : []
  const isEarlier = (table: string) => madeIn(earlier.join(';\n')).includes(table)
  const updated = updatedIn(text).filter((table) => isEarlier(table) && alteredIn(text).includes(table))
  const alone = 'first line: -- works with NNNN_name.sql, runs outside a transaction'
  return [
    ...(/concurrently|outside a transaction/i.test(text)
      ? [`a file outside a transaction is one "create index concurrently" and comments (${alone})`]
      : []),
    ...indexedIn(text)
      .filter(isEarlier)
      .map(
        (table) =>
          `nobody writes to ${table} while its index is built: use "create index concurrently" in a new file (${alone})`,
      ),
    ...updated.map(
      (table) => `nobody reads ${table} from "alter table" to the end of "update": update its rows in a new file`,
    ),
  ]
}

const problemsOfFile = (name: string) =>
  problemsOf(
    read(name),
    names.filter((other) => other < name).map((other) => read(other)),
  ).map((problem) => `${name}: ${problem}`)

it('no migration holds up requests for as long as a large table is read', () => {
  expect(names.filter((name) => name > lastUnchecked).flatMap(problemsOfFile)).toEqual([])
})

it('the files before that do are those that docs/operations.md names', () => {
  const found = names
    .filter((name) => name <= lastUnchecked && problemsOfFile(name).length > 0)
    .map((name) => name.slice(0, 4))
  const named = /hold longer[^]*?\n/.exec(
    readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8'),
  )?.[0]
  expect(named?.match(/\b00\d\d\b/g)).toEqual(found)
})

it.each([
  ['create index people_idx on people (name);', ['nobody writes to people']],
  ['create unique index people_key\n  on people (name);', ['nobody writes to people']],
  ['alter table people add column a text;\nupdate people set a = name;', ['nobody reads people']],
  ['alter table people add column a text;\ncreate index a_idx on people (a);', ['nobody writes to people']],
  ['create index concurrently people_idx on people (name);', ['a file outside']],
  ['-- runs outside a transaction\ncreate index a_idx on people (a);', ['a file outside', 'nobody writes to people']],
  ['-- runs outside a transaction\ncreate index concurrently a on people (a); select 1;', ['a file outside']],
  ['-- runs outside a transaction\ncreate index concurrently a on audit_events (a);', ['the months']],
  ['CREATE INDEX CONCURRENTLY people_idx ON people (name);', ['a file outside']],
])('refuses %j', (text, beginnings) => {
  const problems = problemsOf(text, ['create table people (name text);'])
  expect(problems).toEqual(beginnings.map((beginning) => expect.stringContaining(beginning)))
})

it.each([
  '-- works with 0001_a.sql, runs outside a transaction\n-- Why.\ncreate index concurrently a on people (a) where b;\n',
  'create table houses (name text);\ncreate index houses_idx on houses (name);\nalter table houses add column a text;',
  'alter table people add column a text;\nupdate others set a = 1;',
  'update people set name = lower(name);',
  'create function f() returns void language sql as $$\n  create index a on people (a);\n$$;\n-- create index a on people (a);',
])('takes %j', (text) => {
  expect(problemsOf(text, ['create table people (name text);', 'create table others (a int);'])).toEqual([])
})
