import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The variable that chooses each folder. */
export const folderVariables = { config: 'POSTERN_CONFIG_DIR', state: 'POSTERN_STATE_DIR' } as const

/** What a folder of ours is for. */
export type FolderKind = keyof typeof folderVariables

/** Creates the folder, and those above it, with mode 0700. Returns the first one made; undefined if it was there. */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const make = () => mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    return await make()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Node's recursive mkdir reports this for a file system that is read-only. A single one tells the reason.
    const first = await firstMissing(folder)
    await mkdir(first, { mode: 0o700 })
    await make()
    return first
  }
}

async function firstMissing(folder: string): Promise<string> {
  const parent = dirname(folder)
  return parent === folder || (await isThere(parent)) ? folder : firstMissing(parent)
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** What to do if nothing can be written in a folder. `usual`: unless the reason says more. */
export function unwritableHint(kind: FolderKind, cause: unknown, usual: string): string {
  const { code } = Object(cause)
  const other = `choose another folder with ${folderVariables[kind]}`
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full: free space, or ${other}`
  if (code === 'EROFS') return `The file system is read-only: ${other}`
  return usual
}
