import postgres from 'postgres'
import type { ServerAddress } from './address.ts'
import { DATABASE_NAME } from './cluster.ts'
import { errorCodeOf } from './error.ts'

/** A connection that holds a shared lock, which means that this process uses the server. */
export type Lease = postgres.Sql

/**
 * Connects, takes the lease and creates the service's database. While the last leaving process holds the lock
 * exclusively, this waits and then fails as the server stops. It connects to `postgres`, so that nothing keeps
 * `postern` open.
 */
export async function takeLease(address: ServerAddress, onLost: () => void): Promise<Lease> {
  let held = false
  const lease = connectTo(address, () => held && onLost())
  try {
    await lease`select pg_advisory_lock_shared(4100)`
    await createDatabase(lease)
    held = true
    return lease
  } catch (error) {
    await lease.end({ timeout: 0 })
    throw error
  }
}

/**
 * As `releaseLease`, for a process that could not take one, which calls `stop` when no other process has one.
 *
 * @throws the driver's error when the server cannot be reached, and what `stop` throws.
 */
export async function stopUnused(address: ServerAddress, stop: () => Promise<void>): Promise<void> {
  const visitor = connectTo(address)
  try {
    if (await isUnused(visitor)) await stop()
  } finally {
    await visitor.end({ timeout: 0 })
  }
}

/** Releases the lease. True when no other process has one: whoever joins now waits in `takeLease`. */
export async function releaseLease(lease: Lease): Promise<boolean> {
  await lease`select pg_advisory_unlock_shared(4100)`
  return isUnused(lease)
}

async function isUnused(connection: postgres.Sql): Promise<boolean> {
  const [row] = await connection<{ last: boolean }[]>`select pg_try_advisory_lock(4100) as last`
  return row?.last === true
}

const connectTo = (address: ServerAddress, onclose: () => unknown = () => undefined): postgres.Sql =>
  postgres({
    ...address,
    user: DATABASE_NAME,
    database: 'postgres',
    ssl: false,
    max: 1,
    max_lifetime: null,
    connect_timeout: 5,
    connection: { application_name: 'postern lease' },
    onnotice: () => undefined,
    onclose,
  })

async function createDatabase(lease: Lease): Promise<void> {
  const found = await lease`select from pg_database where datname = ${DATABASE_NAME}`
  if (found.length > 0) return
  try {
    await lease`create database ${lease(DATABASE_NAME)}`
  } catch (error) {
    // duplicate_database, or the same detected by its index: another first start created it.
    if (!['42P04', '23505'].includes(errorCodeOf(error))) throw error
  }
}
