import { toCliError } from '../output/error-report.ts'
import { isId } from './candidates.ts'

interface Source<T> {
  readonly view: (id: string) => Promise<T>
  /** The service's refusal of an unknown id. */
  readonly goneCode: string
  /** Asked only if one of the words is no id. */
  readonly list: () => Promise<readonly T[]>
}

/** Concurrent requests. Thousands of ids may come by stdin. */
const atOnce = 8

/** What these words can mean: ids are looked up, each once, since not everybody who has one can list. */
export async function viewOrList<T extends { readonly id: string }>(
  words: readonly string[],
  { view, goneCode, list }: Source<T>,
): Promise<readonly T[]> {
  const ids = [...new Set(words.filter(isId))]
  const found: (readonly T[])[] = []
  for (let start = 0; start < ids.length; start += atOnce)
    found.push(...(await Promise.all(ids.slice(start, start + atOnce).map((id) => unlessGone(view(id), goneCode)))))
  const listed = words.every(isId) ? [] : await list()
  return [...new Map([...found.flat(), ...listed].map((one) => [one.id, one])).values()]
}

const unlessGone = <T>(asked: Promise<T>, goneCode: string): Promise<readonly T[]> =>
  asked.then(
    (item) => [item],
    (error: unknown) => {
      if (toCliError(error).code !== goneCode) throw error
      return []
    },
  )
