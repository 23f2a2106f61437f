import { type ExitCode, exitCodes } from '../../../shared/exit-codes.ts'
import { Desk } from '../desk.ts'
import type { TuiSeam } from '../seam.ts'
import type { Front } from './flows.ts'
import { home } from './places.ts'
import { Silence, Talk } from './talk.ts'

/** The terminal UI as a conversation: lines are only added, choices are numbered. */
export async function runAccessible(
  seam: TuiSeam,
  options: { readonly readOnly?: boolean | undefined; readonly screen?: string | undefined },
): Promise<ExitCode> {
  const talk = new Talk(seam)
  const front: Front = { desk: new Desk(seam), talk, isReadOnly: options.readOnly ?? false }
  try {
    await home(front, options.screen)
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof Silence)) throw error
    talk.say()
    return error.isInterrupt ? exitCodes.interrupted : exitCodes.done
  } finally {
    talk.close()
    seam.close()
  }
}
