import { scopedHint } from '../argv/scoped-hint.ts'
import type { Context } from '../context.ts'

/** Tells people what may follow: a command at its end works where, and as whom, this one did. */
export const noteNext = ({ out, flags }: Pick<Context, 'out' | 'flags'>, text: string): void =>
  out.note(scopedHint(text, flags))
