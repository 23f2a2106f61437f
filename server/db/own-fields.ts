import type postgres from 'postgres'
import type { OwnValues } from '../../shared/own-fields.ts'
import { databaseDefault, unchanged } from './columns.ts'
import type { Sql } from './connect.ts'

/** The own fields of a new row. A null one is not stored. */
export const newOwnFields = (sql: Sql, fields: OwnValues) =>
  isEmpty(fields) ? databaseDefault : sql`jsonb_strip_nulls(${jsonOf(sql, fields)})`

/** Those that are given replace those of the row, and a null one is removed. Fields of former settings stay. */
export const changedOwnFields = (sql: Sql, fields: OwnValues | undefined) =>
  !fields || isEmpty(fields) ? unchanged : sql`jsonb_strip_nulls(fields || ${jsonOf(sql, fields)})`

const isEmpty = (fields: OwnValues): boolean => Object.keys(fields).length === 0

const jsonOf = (sql: Sql, fields: OwnValues) => sql`${sql.json(fields as postgres.JSONValue)}::jsonb`
