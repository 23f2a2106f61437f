import type { Finding } from './finding.ts'

/** What could be mended, as it is now; what could not is found once more by the next look. */
export async function tryRepair(findings: readonly Finding[]): Promise<readonly Finding[]> {
  const mended: Finding[] = []
  // One after the other: a folder that is closed to others first.
  for (const { check, message, repair } of findings)
    if (repair && (await succeeds(repair)))
      mended.push({ check, status: 'ok', message: `Mended: ${message}`, mend: null })
  return mended
}

const succeeds = (repair: () => Promise<unknown>): Promise<boolean> =>
  repair().then(
    () => true,
    () => false,
  )
