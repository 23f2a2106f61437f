import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { concurrentIndexOf } from './build-index.ts'

const folder = new URL('../../migrations/', import.meta.url)
const names = readdirSync(folder).toSorted()
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
/** It and those before stay as they are. */
const lastUnchecked = '0070_slow_erasures.sql'

/** Without comments and bodies of functions. A body that is run at once counts. */
const statementsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/^do \$\$([^]*?)\$\$/gim, (_block, body: string) =>
      body.replaceAll(/\b(begin|then|else|loop)\b/gi, ';'),
    )
    .replaceAll(/\$\$[^]*?\$\$/g, '')
    .split(';')
    .map((statement) => statement.trim().toLowerCase())

const tablesIn = (text: string, pattern: RegExp): readonly string[] =>
  statementsOf(text).flatMap((statement) => Array.from(statement.matchAll(pattern), ([, table = '']) => table))

/** With or without its schema. */
const named = String.raw`(?:if exists )?(?:only )?(?:\w+\.)?(\w+)`
const madeIn = (text: string) => tablesIn(text, /^create table (?:if not exists )?(?:\w+\.)?(\w+)/g)
const alteredIn = (text: string) => tablesIn(text, RegExp(`^alter table ${named}`, 'g'))
/** Also by a statement within `with`. */
const changedIn = (text: string) => tablesIn(text, RegExp(String.raw`\b(?:update|delete from) ${named}`, 'g'))
const indexedIn = (text: string) =>
  tablesIn(text, RegExp(String.raw`^create (?:unique )?index (?!concurrently)[^]*?\bon ${named}`, 'g'))

/** All else may read the whole table, or write it anew. */
const quickChanges = [
  // `current_copy` is stable, so its value is computed once.
  /^add column \w+ (?!.*\b(references|check|unique|primary|generated|\w*serial)\b)[\w ]+(\(\d+(, \d+)?\))?(\[\])?( not null)?( default (''|-?\d+|now\(\)|current_copy\(\))[^(]*)?$/,
  /^add constraint .* not valid$/,
  /^drop (column|constraint) /,
  /^alter column \w+ (set default |drop default$|drop not null$)/,
]
const validation = /^validate constraint \w+$/

/** The changes of all `alter table` of a file to tables that are there already. */
function changesIn(text: string, isEarlier: (table: string) => boolean) {
  return statementsOf(text).flatMap((statement) => {
    const [head = '', table = ''] = RegExp(String.raw`^alter table ${named}\s+`).exec(statement) ?? []
    if (!isEarlier(table)) return []
    const clauses = statement
      .slice(head.length)
      .replaceAll(/'[^']*'/g, "''")
      .replaceAll(/\s+/g, ' ')
    // Commas within parentheses are of a type or of a list of columns.
    const changes = clauses.split(/,(?![^(]*\)) ?/)
    return changes.map((change) => ({ table, change }))
  })
}

/** What would hold up requests for as long as a large table is read, and what to write instead. */
function problemsOf(text: string, earlier: readonly string[]): readonly string[] {
  const concurrent = concurrentIndexOf(text)
  if (concurrent)
    return concurrent.table === 'audit_events' ? ['the months of audit_events need their own indexes'] : []
  const tables = madeIn(earlier.join(';\n'))
  const isEarlier = (table: string) => tables.includes(table)
  const changed = changedIn(text).filter((table) => isEarlier(table) && alteredIn(text).includes(table))
  const changes = changesIn(text, isEarlier)
  const isAlone = changes.length === 1 && statementsOf(text).filter(Boolean).length === 1
  const isQuick = (change: string) =>
    quickChanges.some((quick) => quick.test(change)) || (isAlone && validation.test(change))
  const slow = changes.filter(({ change }) => !isQuick(change))
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
    ...slow.map(
      ({ table, change }) =>
        `nobody uses ${table} while it is read for "${change}": add a constraint "not valid", and validate it in a file of its own; add a column with a constant default`,
    ),
    ...changed.map((table) => `nobody reads ${table} from "alter table" to the end: change its rows in a new file`),
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
  ['create index people_idx on public.people (name);', ['nobody writes to people']],
  ['do $$\nbegin\n  if true then alter table people add a bigserial; end if;\nend $$;', ['nobody uses people']],
  ['do $$ begin create index people_idx on people (name); end $$;', ['nobody writes to people']],
  ['with a as (select 1) update people set name = 1;\nalter table people add a text;', ['nobody uses', 'nobody reads']],
  ['delete from people where name is null;\nalter table people add column a text;', ['nobody reads people']],
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
  "add constraint people_check check (name <> '')",
  'add constraint people_key unique (name)',
  'add constraint people_fkey foreign key (name) references others (a)',
  'alter column name set not null',
  'alter column name type varchar(10)',
  'add column a text references others (a)',
  'add column a integer check (a > 0)',
  'add column a text not null default gen_random_uuid()',
  'add column a bigserial',
  'add column a text, alter column name set not null',
  'validate constraint people_check, drop column name',
  'add column a timestamptz default clock_timestamp()',
  'set logged',
])('refuses to %s', (change) => {
  const text = `alter table if exists only public.people\n  ${change};`
  expect(problemsOf(text, ['create table people (name text);'])).toEqual([
    expect.stringContaining('nobody uses people while it is read'),
  ])
})

it.each([
  "add column a text not null default '{a, b}'",
  'add column a numeric(3, 2) default 1, add column b timestamptz(3)',
  "add constraint people_check check (name in ('a', 'b')) not valid",
  'validate constraint people_check',
  'add column a boolean default false not null, add column b double precision, add column c text[]',
  'drop column name, alter column name drop not null',
  "alter column name set default 'a'",
])('takes %s', (change) => {
  expect(problemsOf(`alter table people ${change};`, ['create table people (name text);'])).toEqual([])
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
