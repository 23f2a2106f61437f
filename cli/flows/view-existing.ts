import { toCliError } from '../output/error-report.ts'

/** Concurrent requests. Thousands of ids may come by stdin. */
const atOnce = 8

/** Looks items up by id, each once. Items that the service refuses with `goneCode` are left out. */
export async function viewExisting<T>(
  ids: readonly string[],
  view: (id: string) => Promise<T>,
  goneCode: string,
): Promise<readonly T[]> {
  const wanted = [...new Set(ids)]
  const found: (readonly T[])[] = []
  for (let start = 0; start < wanted.length; start += atOnce)
    found.push(...(await Promise.all(wanted.slice(start, start + atOnce).map((id) => unlessGone(view(id), goneCode)))))
  return found.flat()
}

const unlessGone = <T>(asked: Promise<T>, goneCode: string): Promise<readonly T[]> =>
  asked.then(
    (item) => [item],
    (error: unknown) => {
      if (toCliError(error).code !== goneCode) throw error
      return []
    },
  )
