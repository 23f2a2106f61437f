import { readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The user that runs PostgreSQL when we are root, since it refuses to be root. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

const nobody: Owner = { uid: 65534, gid: 65534 }

/** The owner of the database; for a new one the user postgres, else nobody. Undefined when we are not root: ourselves. */
export function findOwner(cluster: string, passwd = '/etc/passwd'): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const there = statSync(cluster, { throwIfNoEntry: false })
  if (there && there.uid !== 0) return { uid: there.uid, gid: there.gid }
  return readUser('postgres', passwd) ?? nobody
}

function readUser(name: string, passwd: string): Owner | undefined {
  const line = readFileSync(passwd, 'utf8').split('\n')
  const fields = line.find((entry) => entry.startsWith(`${name}:`))?.split(':')
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) }
}

/** The outermost folder on the way to (and including) `path` that the owner may not enter. */
export function findClosedFolder(path: string, owner: Owner): string | undefined {
  const parent = dirname(path)
  const above = parent === path ? undefined : findClosedFolder(parent, owner)
  return above ?? (mayEnter(statSync(path), owner) ? undefined : path)
}

function mayEnter(folder: Stats, owner: Owner): boolean {
  if (folder.uid === owner.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === owner.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}
