import type { Argument, Option } from 'commander'
import type { Complete } from '../flows/field.ts'

const completers = new WeakMap<Argument | Option, Complete>()

/** Says where the words come from that may stand for it, when nothing that is known here tells them. */
export function completeWith<T extends Argument | Option>(part: T, complete: Complete | undefined): T {
  if (complete) completers.set(part, complete)
  return part
}

export const completerOf = (part: Argument | Option): Complete | undefined => completers.get(part)
