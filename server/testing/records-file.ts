import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

/** The path of a file for `postern import`, one record a line. */
export async function recordsFile(records: readonly object[]): Promise<string> {
  const path = join(temporaryFolder('records'), 'records.ndjson')
  await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return path
}
