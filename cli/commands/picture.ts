import { pictureProblem } from '../flows/picture.ts'
import { usage } from '../refusal.ts'

/** The value of a flag that names a picture; refused before anything is sent. Empty stands for none. */
export function pictureOf(flag: string, text: string | undefined): string | undefined {
  const problem = text === undefined ? undefined : pictureProblem(text, flag)
  if (problem) throw usage(problem, undefined, [flag])
  return text
}
