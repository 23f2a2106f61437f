import { randomBytes, scryptSync } from 'node:crypto'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db'
import { admin, bearer, jwt, organization } from 'better-auth/plugins'
import { betterAuth as newestAuth } from 'better-auth-1.7'
import { getMigrations as newestMigrations } from 'better-auth-1.7/db/migration'
import * as newest from 'better-auth-1.7/plugins'
import { connectForMigration, type Driver } from '../db/connect.ts'
import type { MapFile } from '../domain/moving/better-auth/names.ts'
import type { LeftOut } from '../domain/moving/check-item.ts'
import { importRecords } from '../domain/moving/import-records.ts'
import { openSource } from '../domain/moving/open-source.ts'
import { partsOf } from '../domain/moving/prepare-parts.ts'
import { betterAuthPool } from './better-auth-pool.ts'
import { emptyDatabase, settingsOf } from './database.ts'
import type { TestService } from './service.ts'

export const peerVersions = ['1.2.8', 'newest'] as const
export type PeerVersion = (typeof peerVersions)[number]

/** The secret of every peer, and where it says that it is. */
export const peerSecret = 'a secret of better-auth, long enough'
export const peerOrigin = 'http://localhost:3999'

export type Fetch = (request: Request) => Promise<Response>
export interface PeerAnswer {
  readonly status: number
  readonly body: Record<string, never>
  /** What a browser sends from then on. */
  readonly cookie: string
  readonly headers: Headers
}

/** One call of better-auth, by its own page. */
export async function askPeer(handler: Fetch, path: string, body?: object, cookie = ''): Promise<PeerAnswer> {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  const headers = { 'content-type': 'application/json', origin: peerOrigin, cookie }
  const answer = await handler(new Request(`${peerOrigin}/api/auth${path}`, { ...init, headers }))
  const text = await answer.text()
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0])
  const read = text === '' ? {} : JSON.parse(text)
  return { status: answer.status, body: read, cookie: cookies.join('; '), headers: answer.headers }
}

const salt = randomBytes(16).toString('hex')
const hashes = new Map<string, string>()

function hashOf(password: string): string {
  const key = scryptSync(password.normalize('NFKC'), salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 })
  return `${salt}:${key.toString('hex')}`
}

/**
 * The same form as better-auth's own, which 1.2.8 computes in JavaScript for a good part of a second; once for each
 * password.
 */
const password = {
  hash: async (text: string) => {
    const hash = hashes.get(text) ?? hashOf(text)
    hashes.set(text, hash)
    return hash
  },
  verify: async ({ hash, password: text }: { hash: string; password: string }) => hash === (await password.hash(text)),
}

export type Peer = Awaited<ReturnType<typeof startPeer>>

interface PeerOptions {
  readonly emailAndPassword?: object
  readonly [option: string]: unknown
}

/** A real better-auth of that version on PostgreSQL. */
export async function startPeer(version: PeerVersion, { emailAndPassword, ...others }: PeerOptions = {}) {
  const { database, drop } = await emptyDatabase()
  const pool = betterAuthPool(database)
  const options = {
    secret: peerSecret,
    baseURL: peerOrigin,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { disabled: true },
    emailAndPassword: { enabled: true, password, ...emailAndPassword },
    ...others,
    database: pool,
  }
  const handler = await (version === '1.2.8' ? oldHandler(options) : newestHandler(options))
  const stop = async () => {
    await pool.end()
    await drop()
  }
  return { database, from: settingsOf(database)['DATABASE_URL'] ?? '', sql: pool.sql, handler, stop }
}

async function oldHandler(given: object): Promise<Fetch> {
  // Its second factor does not load beside the newer version of what it is built on.
  const plugins = [organization({ teams: { enabled: true } }), admin(), bearer(), jwt()]
  const options = { ...given, plugins }
  await (await getMigrations(options as never)).runMigrations()
  return betterAuth(options as never).handler
}

async function newestHandler(given: object): Promise<Fetch> {
  const { organization: organizations, ...others } = newest
  const plugins = [
    organizations({ teams: { enabled: true } }),
    others.admin(),
    others.bearer(),
    others.jwt(),
    others.twoFactor(),
  ]
  const options = { ...given, plugins }
  await (await newestMigrations(options as never)).runMigrations()
  return newestAuth(options as never).handler as Fetch
}

export interface MoveOptions {
  /** Only what changed since the run before. */
  readonly isSince?: boolean
  readonly isUpdating?: boolean
  readonly map?: MapFile
  readonly isDryRun?: boolean
}

/** Imports the database of a peer, as the command does. */
export async function movePeer(service: TestService, from: string, options: MoveOptions = {}) {
  const { map = {}, isSince = false, isDryRun = false, isUpdating = isSince } = options
  const left: LeftOut[] = []
  const opened = await openSource({ kind: 'better-auth', from, schema: 'public', map, isSince })
  const sql: Driver = connectForMigration(service.database)
  try {
    const parts = partsOf(service.deps)
    const run = { isDryRun, batch: null, isUpdating, parts }
    const summary = await importRecords(sql, opened.source, { ...run, onLeftOut: (row) => left.push(row) })
    return { summary, left }
  } finally {
    await opened.close()
    await sql.end()
  }
}
