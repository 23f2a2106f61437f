import { constants } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'

const MAX_SIZE = 1_000_000

/** Opens the server's log for appending, and empties it when it has grown large. */
export async function openLog(file: string): Promise<FileHandle> {
  // As root we write it for another user, so we never follow a link.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(file, flags, 0o600)
  if ((await handle.stat()).size > MAX_SIZE) await handle.truncate()
  return handle
}

/** Returns what the server wrote after `offset` bytes, or everything if the log was emptied meanwhile. */
export async function readLog(file: string, offset = 0): Promise<string> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0))
  return bytes.subarray(offset <= bytes.length ? offset : 0).toString('utf8')
}

/** The end of a text, short enough for an error message. */
export const lastLines = (text: string): string => text.trim().split('\n').slice(-8).join('\n')
