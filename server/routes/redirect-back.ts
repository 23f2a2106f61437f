import { Failure, wireOf } from '../../shared/failure.ts'
import { Redirect } from '../http/mount.ts'
import { addErrorToTarget } from '../request/error-target.ts'
import { HookRefusal } from '../settings/hook-refusal.ts'

/**
 * For mailed links: redirects to the page that the application named, with `error=` after a refusal. Without such a
 * page it returns the answer or throws the refusal. Internal errors, rate limits and refusals without a code are always
 * thrown, because a redirect cannot carry a time to wait.
 */
export async function redirectBack<T>(target: string | undefined, open: () => Promise<T>): Promise<T | Redirect> {
  if (!target) return open()
  try {
    await open()
    return new Redirect(target)
  } catch (error) {
    const code = codeOf(error)
    if (code === null) throw error
    return new Redirect(addErrorToTarget(target, { code }))
  }
}

/** The redirect code: the wire code in lower case. */
function codeOf(error: unknown): string | null {
  if (error instanceof HookRefusal) return error.code.toLowerCase()
  if (!(error instanceof Failure)) return null
  const { status, body } = wireOf(error.failure)
  return body && 'code' in body && status < 429 ? body.code.toLowerCase() : null
}
