import { expect, it } from 'vitest'
import { emptyDatabase, settingsOf } from '../../testing/database.ts'
import { connectForMigration } from '../connect.ts'
import { explainNoTls } from '../explain-no-tls.ts'
import { openSnapshot } from './foreign-tables.ts'

it('another database is read for as long as it takes, whatever its settings say', async () => {
  const { database, drop } = await emptyDatabase()
  const sql = connectForMigration(database)
  await sql.unsafe(`do $$ begin
    execute format('alter database %I set statement_timeout = 1000', current_database());
    execute format('alter database %I set idle_in_transaction_session_timeout = 1000', current_database());
    if current_setting('server_version_num')::integer >= 170000 then
      execute format('alter database %I set transaction_timeout = 1000', current_database());
    end if;
  end $$`)
  const there = await openSnapshot(settingsOf(database)['DATABASE_URL'] ?? '')
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']
  const rows = await there.tx.unsafe('select name, setting from pg_settings where name = any ($1)', [limits])
  expect(rows.length).toBeGreaterThan(1)
  expect(rows.filter(({ setting }) => setting !== '0')).toEqual([])
  await there.end()
  await sql.end()
  await drop()
})

it('another database without TLS is the one that is named, and not that of the service', async () => {
  const { database, drop } = await emptyDatabase()
  const address = new URL(settingsOf(database)['DATABASE_URL'] ?? '')
  address.searchParams.set('sslmode', 'require')
  await expect(openSnapshot(address.href)).rejects.toThrow(
    /^the server at .* offers no TLS, which sslmode in its address/,
  )
  const own = connectForMigration(database)
  const error = new Error('Client network socket disconnected before secure TLS connection was established')
  expect(await explainNoTls(own, error)).toBe(error)
  await own.end()
  await drop()
})
