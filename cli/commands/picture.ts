import { isPicture, pictureRule } from '../../shared/picture.ts'
import { usage } from '../refusal.ts'

/** The value of a flag that names a picture; refused before anything is sent. Empty stands for none. */
export function pictureOf(flag: string, text: string | undefined): string | undefined {
  if (text !== undefined && !isPicture(text)) throw usage(`${flag} has to be ${pictureRule}`, undefined, [flag])
  return text
}
