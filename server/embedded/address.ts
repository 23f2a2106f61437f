import { hash, randomBytes } from 'node:crypto'
import { chmodSync, lchownSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { EmbeddedDatabaseError, errorCodeOf } from './error.ts'
import { type Owner, refuseOpenParents } from './secure-folder.ts'
import { writeOnce } from './write-once.ts'

/** The address of the server: a folder with a Unix socket, or on Windows a loopback port with a password. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  readonly password?: string
}

/** Only used for the name of the socket file. Nothing listens on the port. */
const SOCKET_PORT = 5432
/** `sun_path` holds 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKET_PATH = 100

/** Derives the address from the data folder, so that it is the same for every process and every start. */
export async function chooseAddress(dataDir: string, owner: Owner | undefined): Promise<ServerAddress> {
  if (process.platform === 'win32') return keepLoopback(join(dataDir, 'loopback.json'))
  const host = socketFolder(dataDir)
  makePrivate(host, owner)
  return { host, port: SOCKET_PORT }
}

/**
 * A folder inside the data folder. If that path is unsuitable for a socket, one in /tmp, which TMPDIR does not change.
 */
export function socketFolder(dataDir: string): string {
  const near = join(dataDir, 'run')
  const short = Buffer.byteLength(join(near, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH
  // The driver treats a comma as the end of a host.
  if (short && !near.includes(',')) return near
  return `/tmp/postern-${hash('sha256', dataDir).slice(0, 16)}`
}

function makePrivate(folder: string, owner: Owner | undefined): void {
  refuseOpenParents(folder)
  makeFolder(folder)
  const user = owner?.uid ?? process.getuid?.()
  const there = lstatSync(folder)
  // Another user may have put a link at this path in /tmp, even a hard link to one of root's files. Such a path is not
  // handed over.
  if (owner && there.isDirectory() && there.uid === 0) lchownSync(folder, owner.uid, owner.gid)
  const { uid, mode } = lstatSync(folder)
  if (uid === user && (mode & 0o170077) === 0o040000) return
  throw new EmbeddedDatabaseError(
    `The socket folder of the embedded database, ${folder}, is not a folder that only uid ${user} can enter. Remove it and start again.`,
  )
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
    chmodSync(folder, 0o700)
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  }
}

async function keepLoopback(file: string): Promise<ServerAddress> {
  const fresh: ServerAddress = {
    host: '127.0.0.1',
    port: await freePort(),
    password: randomBytes(24).toString('base64url'),
  }
  writeOnce(file, JSON.stringify(fresh))
  return JSON.parse(readFileSync(file, 'utf8')) as ServerAddress
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
