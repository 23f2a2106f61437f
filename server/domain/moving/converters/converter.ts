import * as z from 'zod'
import type { FirebaseProject } from '../../../crypto/stored-hash/foreign-hash.ts'
import { problemsOf } from '../check-item.ts'
import type { Entry } from './entries.ts'

/** A record of the published format, or what is known of one that cannot come. */
export interface Made {
  readonly record: object
  readonly problem?: string
  /** Of a user whose password alone lets nobody in there. */
  readonly hasSecondFactor?: boolean | undefined
  /** Fields that it comes without, since they cannot be read. */
  readonly altered?: readonly string[]
}

export interface Converted {
  readonly record?: object
  readonly problem?: string
  readonly detail?: string
  /** Where it is, if nothing in it says what it is. */
  readonly place?: string
  readonly hasSecondFactor?: boolean | undefined
  readonly altered?: readonly string[]
}

export interface ConverterParts {
  /** What Firebase tells of a project. */
  readonly project?: FirebaseProject | undefined
}

/** Turns the files of an export into records of the published format, in an order in which none names a later one. */
export type Converter = (files: readonly string[], parts: ConverterParts) => AsyncIterable<Converted>

/** A member that an export may lack, or have as null. */
export const optional = <T extends z.ZodType>(type: T) => type.nullable().optional()
export const text = optional(z.string())

/** The records of each entry. What has another shape than documented is reported with its place. */
export async function* convertEach<T>(
  entries: AsyncIterable<Entry>,
  shape: z.ZodType<T>,
  make: (value: T) => readonly Made[],
): AsyncGenerator<Converted> {
  for await (const { value, ...entry } of entries) {
    if (entry.problem !== undefined) {
      yield entry
      continue
    }
    const read = shape.safeParse(value)
    if (read.success) yield* make(read.data)
    else yield { ...entry, problem: 'NOT_EXPORTED', detail: problemsOf(read.error) }
  }
}
