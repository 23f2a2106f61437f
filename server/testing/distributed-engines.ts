/** Something that PostgreSQL takes and a distributed engine of its family does not, or takes and does not do. */
export interface Rule {
  readonly name: string
  readonly refusedBy: string
  /** Where the engines say so. */
  readonly sources: readonly string[]
  readonly isBroken: (sql: string) => boolean
}

const matches =
  (pattern: RegExp) =>
  (sql: string): boolean =>
    pattern.test(sql)

const yugabyte = 'https://docs.yugabyte.com/latest/explore/ysql-language-features/postgresql-compatibility/'
const yugabyteMigration = 'https://docs.yugabyte.com/stable/yugabyte-voyager/known-issues/postgresql'
const cockroach = 'https://www.cockroachlabs.com/docs/v26.3/postgresql-compatibility'
const citus = 'https://docs.citusdata.com/en/stable/develop/reference_workarounds.html'

const triggers = /create (?:or replace )?(?:constraint )?trigger[^;]*/gi
const triggersIn = (sql: string): readonly string[] => sql.match(triggers) ?? []

/** Of the text of one migration, or of one piece of SQL in the code. */
export const rules: readonly Rule[] = [
  {
    name: 'session advisory lock',
    refusedBy:
      'YugabyteDB before 2025.1, CockroachDB (does nothing), Citus (locks one node); PgBouncer in transaction mode',
    sources: [yugabyteMigration, 'https://github.com/cockroachdb/cockroach/issues/13546'],
    isBroken: matches(/pg_(?:try_)?advisory_(?:un)?lock(?:_shared|_all)?\(/i),
  },
  {
    name: 'transaction advisory lock',
    refusedBy: 'YugabyteDB before 2025.1, CockroachDB (does nothing), Citus (locks one node)',
    sources: [yugabyteMigration, 'https://github.com/cockroachdb/cockroach/issues/13546'],
    isBroken: matches(/pg_(?:try_)?advisory_xact_lock/i),
  },
  {
    name: 'LISTEN and NOTIFY',
    refusedBy: 'YugabyteDB, CockroachDB, Citus (reaches one node); PgBouncer in transaction mode',
    sources: [yugabyte, cockroach],
    isBroken: matches(/(?:^|;)\s*(?:listen|unlisten|notify)\s|pg_notify\(/i),
  },
  {
    name: 'statement trigger',
    refusedBy: 'CockroachDB, Citus',
    sources: ['https://github.com/cockroachdb/cockroach/issues/126362', 'https://github.com/citusdata/citus/pull/5705'],
    isBroken: (sql) => triggersIn(sql).some((trigger) => !/for each row/i.test(trigger)),
  },
  {
    name: 'row trigger',
    refusedBy: 'Citus, unless citus.enable_unsafe_triggers is on',
    sources: ['https://github.com/citusdata/citus/pull/5705'],
    isBroken: (sql) => triggersIn(sql).some((trigger) => /for each row/i.test(trigger)),
  },
  {
    name: 'deferrable constraint or constraint trigger',
    refusedBy: 'YugabyteDB, CockroachDB',
    sources: [yugabyte, 'https://github.com/cockroachdb/cockroach/issues/31632'],
    isBroken: matches(/constraint trigger|\bdeferrable\b/i),
  },
  {
    name: 'transaction number or system column',
    refusedBy: 'YugabyteDB, CockroachDB, Citus (each node counts by itself)',
    sources: [yugabyteMigration, 'https://github.com/yugabyte/yugabyte-db/issues/15638'],
    isBroken: matches(
      /\bxid8?\b|pg_current_xact_id|pg_(?:current_)?snapshot|pg_visible_in_snapshot|\b(?:xmin|xmax|ctid)\b/i,
    ),
  },
  {
    name: 'table lock',
    refusedBy: 'YugabyteDB, CockroachDB',
    sources: [yugabyte, cockroach],
    isBroken: matches(/\block table\b/i),
  },
  {
    name: 'table inheritance',
    refusedBy: 'YugabyteDB, CockroachDB, Citus',
    sources: [yugabyte, cockroach],
    isBroken: matches(/\binherits?\s+[\w%(]|pg_inherits/i),
  },
  {
    name: 'exclusion constraint or GiST',
    refusedBy: 'YugabyteDB',
    sources: [yugabyte],
    isBroken: matches(/\bexclude using\b|\busing gist\b/i),
  },
  {
    name: 'expression as a conflict target',
    refusedBy: 'CockroachDB',
    sources: ['https://cockroachlabs.com/docs/v22.1/known-limitations'],
    isBroken: matches(/on conflict \(\s*\(?\w+\(/i),
  },
  {
    name: 'rule, or recursive statement over several nodes',
    refusedBy: 'Citus',
    sources: [citus],
    isBroken: matches(/\bcreate rule\b|\bwith recursive\b/i),
  },
]

/**
 * Tables that one statement writes more than once. CockroachDB refuses that, unless all are inserts without `on conflict`
 * (https://github.com/cockroachdb/cockroach/pull/71595).
 */
export function tablesWrittenTwice(statement: string): readonly string[] {
  const writes = Array.from(
    statement.matchAll(/\b(insert into|update|delete from)\s+(?:only\s+)?"?([a-z_]+)"?(?=\s)(?!\s+skip)/gi),
    ([, verb = '', table = '']) => ({ verb: verb.toLowerCase(), table }),
  ).filter(({ table }) => !['set', 'of', 'skip'].includes(table))
  return [...new Set(writes.map(({ table }) => table))].filter((table) => {
    const own = writes.filter((write) => write.table === table)
    const isPlain = own.every(({ verb }) => verb === 'insert into') && !/on conflict/i.test(statement)
    return own.length > 1 && !isPlain
  })
}
