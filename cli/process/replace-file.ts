import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Replaces a file of the user's own. A crash leaves the old text or the new one. */
export function replaceFile(path: string, text: string): void {
  // A name that no file of somebody else can have.
  const temporary = `${path}.${crypto.randomUUID()}.tmp`
  try {
    // Created exclusively, so never through a link: `sudo` could leave us in somebody else's home.
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}
