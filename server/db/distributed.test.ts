import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { rules, tablesWrittenTwice } from '../testing/distributed-engines.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The SQL of a file, without comments: of a migration all of it at once, of code each literal. */
interface Source {
  readonly file: string
  readonly pieces: readonly string[]
}

const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')
const migrations: readonly Source[] = readdirSync(`${root}migrations`).map((name) => ({
  file: `migrations/${name}`,
  // What a comment says of a column is data, too.
  pieces: [
    read(`migrations/${name}`)
      .replaceAll(/--.*$/gm, '')
      .replaceAll(/^comment on [^;]*;/gm, ''),
  ],
}))
const code: readonly Source[] = readdirSync(`${root}server`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\/|^(bench|embedded)\//.test(name))
  .map((name) => ({ file: `server/${name}`, pieces: literalsIn(`server/${name}`) }))

function literalsIn(file: string): readonly string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text)
    if (ts.isTemplateExpression(node))
      found.push([node.head, ...node.templateSpans.map((span) => span.literal)].map((part) => part.text).join(' '))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest))
  return found
}

/**
 * What is written down instead of mended: by rule, the file and why it stays. Whoever moves to an engine that refuses it
 * reads here what to replace; docs/scaling.md sums it up.
 */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'transaction advisory lock': {
    'migrations/0040_audit_months.sql':
      'One process at a time ends a month. Without the lock the others wait for the table.',
    'migrations/0044_lock_of_months.sql': 'The same functions with a lock of their own, once a month for a moment.',
    'migrations/0069_months_on_their_own.sql': 'The same functions, and one that drops a single month.',
    'server/db/admins.ts':
      'The last administrator stays: rows that do not exist yet cannot be locked. Else a row of its own.',
    'server/db/migrate.ts': 'One process at a time migrates. Else one process migrates before the others start.',
  },
  'statement trigger': {
    'migrations/0012_audit_events.sql':
      'No service truncates the trail; it holds off people. Else the privilege is revoked.',
  },
  'row trigger': {
    'migrations/0006_user_roles.sql': 'For instances of an older version; a later migration drops it.',
    'migrations/0007_member_roles.sql': 'For instances of an older version; a later migration drops it.',
    'migrations/0008_invitation_roles.sql': 'For instances of an older version; a later migration drops it.',
    'migrations/0012_audit_events.sql': 'Refuses changes of the trail, within the row. Safe on each node.',
    'migrations/0014_impersonation.sql': 'Lifts the ended ban of the user whose session begins, on one node by user.',
    'migrations/0016_machine_users.sql': 'Compares the row with itself. Safe on each node.',
    'migrations/0017_machine_accounts.sql': 'Reads the user of the account, on one node by user.',
    'migrations/0022_ended_impersonations.sql': 'Writes the trail for instances of an older version.',
    'migrations/0024_mailbox_proofs.sql': 'Writes the sessions of the account, on one node by user.',
    'migrations/0025_machine_sponsors.sql': 'Names the sponsor of a machine, for instances of an older version.',
    'migrations/0051_member_teams.sql': 'For instances of an older version; a later migration drops it.',
    'migrations/0052_invitation_teams.sql': 'For instances of an older version; a later migration drops it.',
    'migrations/0053_team_members.sql':
      'Keeps the teams of a member in rows of their own, on one node by organization. Else each call writes both.',
    'migrations/0054_active_team.sql': 'Compares the row with itself. Safe on each node.',
    'migrations/0056_organizations_with_teams.sql':
      'Deletes what names the teams before the teams, on one node by organization. Else each deletion does it first.',
    'migrations/0063_ended_imports.sql': 'Notes that a session ended which an import could bring again.',
    'migrations/0058_erasure.sql':
      'Takes what names a deleted person out of the trail. Else each deletion does it first.',
    'migrations/0042_user_counts.sql':
      'Notes who comes and goes, so that nobody counts users. Else each call notes it.',
  },
  'deferrable constraint or constraint trigger': {
    'migrations/0017_machine_accounts.sql': 'Holds off an account of a machine, which no call makes.',
    'migrations/0022_ended_impersonations.sql':
      'For instances of an older version: whether they told the end themselves is known at the commit.',
    'migrations/0054_active_team.sql': 'A row that the trigger of the same statement writes. Else two statements.',
  },
  'transaction number or system column': {
    'migrations/0012_audit_events.sql':
      'Who follows the trail misses no event that commits late. Else a clock of the engine.',
    'migrations/0022_ended_impersonations.sql':
      'Finds the events of its own transaction, for instances of an older version.',
    'migrations/0027_joined_audit_events.sql':
      'A joined event counts as written by the last transaction that joined it.',
    'migrations/0058_erasure.sql': 'The same function as before, with one more exception.',
    'migrations/0028_database_copies.sql': 'Notices a restored copy, whose transactions count anew.',
    'server/db/audit-events.ts': 'A joined event counts as written by the last transaction that joined it.',
    'server/db/audit-list.ts': 'Who follows the trail misses no event that commits late. Else a clock of the engine.',
    'server/db/database-copies.ts': 'Notices a restored copy, whose transactions count anew.',
    'server/db/moving/marks.ts': 'Asks the database of another service, which is PostgreSQL.',
    'server/db/webhook-feed.ts': 'Follows the trail as its readers do. Else a clock of the engine.',
  },
  'table lock': {
    'migrations/0016_machine_users.sql': 'In a migration, for a moment.',
    'migrations/0040_audit_months.sql': 'Once a month, for a moment. Else the engine ends rows by their age.',
    'migrations/0044_lock_of_months.sql': 'The same functions with a lock of their own, once a month for a moment.',
    'migrations/0069_months_on_their_own.sql': 'The same functions, and one that drops a single month.',
    'server/db/backup.ts': 'While a backup is read or restored. Else the backup of the engine.',
    'server/db/database-copies.ts': 'After a restore, once.',
    'server/db/signing-keys.ts': 'At a rotation of keys, once in months. Else a row of its own is locked.',
  },
  'table inheritance': {
    'migrations/0040_audit_months.sql':
      'Retention drops tables instead of rows. Else the engine ends rows by their age.',
    'migrations/0044_lock_of_months.sql': 'The same functions with a lock of their own, once a month for a moment.',
    'migrations/0069_months_on_their_own.sql': 'The same functions, and one that drops a single month.',
    'server/db/audit-months.ts': 'Reads which months there are. Else the engine ends rows by their age.',
    'server/db/backup.ts': 'Reads which tables are months of another. Else the backup of the engine.',
  },
}

describe.each(rules)('$name', ({ name, sources, isBroken }) => {
  it('is in no statement, except those that are written down with a reason', () => {
    const found = [...migrations, ...code].filter(({ pieces }) => pieces.some(isBroken)).map(({ file }) => file)
    expect(found.toSorted()).toEqual(Object.keys(exceptions[name] ?? {}).toSorted())
  })

  it('has a public source', () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.every((source) => source.startsWith('https://'))).toBe(true)
  })
})

it('every exception has a reason', () => {
  const reasons = Object.values(exceptions).flatMap((files) => Object.values(files))
  expect(reasons.filter((reason) => !/^[A-Z].{10,}\.$/.test(reason))).toEqual([])
  const known = rules.map(({ name }) => name)
  expect(Object.keys(exceptions).filter((name) => !known.includes(name))).toEqual([])
})

it('reads all of the SQL', () => {
  expect(migrations.length).toBeGreaterThan(30)
  expect(
    code.flatMap(({ pieces }) => pieces).filter((text) => /\bselect\b[^]*\bfrom\b/.test(text)).length,
  ).toBeGreaterThan(100)
})

describe('what is wrong is found', () => {
  it.each([
    ['session advisory lock', 'select pg_advisory_lock(1)'],
    ['session advisory lock', 'select pg_try_advisory_lock(1)'],
    ['transaction advisory lock', 'select pg_try_advisory_xact_lock(1)'],
    ['LISTEN and NOTIFY', 'listen changes'],
    ['LISTEN and NOTIFY', "select pg_notify('changes', '')"],
    ['statement trigger', 'create trigger t after insert on users execute function f()'],
    ['row trigger', 'create trigger t after insert on users for each row execute function f()'],
    ['deferrable constraint or constraint trigger', 'references users deferrable initially deferred'],
    ['transaction number or system column', 'select xmin from users'],
    ['table lock', 'lock table users in exclusive mode'],
    ['table inheritance', 'create table a () inherits (b)'],
    ['exclusion constraint or GiST', 'create index on users using gist (name)'],
    ['expression as a conflict target', 'on conflict (lower(email)) do nothing'],
    ['rule, or recursive statement over several nodes', 'with recursive r as (select 1) select 1'],
  ])('%s in %j', (name, sql) => {
    expect(rules.filter(({ isBroken }) => isBroken(sql)).map((rule) => rule.name)).toEqual([name])
  })

  it.each([
    ['with a as (update users set name = $1), b as (delete from users where id = $2) select 1', ['users']],
    ['with a as (insert into users values ($1)) update users set name = $1', ['users']],
    ['insert into users values ($1) on conflict do nothing', []],
    ['with a as (insert into events values ($1)), b as (insert into events values ($2)) select 1', []],
    ['with a as (select 1 from users for update of u skip locked) update users u set name = $1', []],
    ['insert into counts values ($1) on conflict (id) do update set number = 1', []],
  ])('tables written twice by %j: %j', (statement, tables) => {
    expect(tablesWrittenTwice(statement)).toEqual(tables)
  })
})

it('repeats what the server undid in one place only', () => {
  const naming = (pattern: RegExp) => code.filter(({ file }) => pattern.test(read(file))).map(({ file }) => file)
  expect(naming(/40001|40P01/)).toEqual(['server/db/outage.ts'])
  expect(naming(/retryConflict/).toSorted()).toEqual([
    'server/db/connect.ts',
    'server/db/outage.ts',
    'server/db/transaction.ts',
  ])
})
