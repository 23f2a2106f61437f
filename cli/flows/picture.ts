import { isPicture, pictureRule } from '../../shared/picture.ts'

export const pictureProblem = (text: string, name: string): string | undefined =>
  isPicture(text) ? undefined : `${name} has to be ${pictureRule}`
