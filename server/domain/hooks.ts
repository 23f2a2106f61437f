import { within } from '../../shared/within.ts'
import type { Deps } from '../deps.ts'

/** Milliseconds that a hook of the application may take. */
const timeout = 5000

type Hook<A extends readonly unknown[]> = ((...facts: NoInfer<A>) => unknown) | undefined

/**
 * Runs a hook before an action. When it throws or takes too long, the action is not done: a HookRefusal becomes the
 * answer, anything else is an internal error. Returns the hook's answer.
 */
export async function runBeforeHook<A extends readonly unknown[]>(hook: Hook<A>, ...facts: A): Promise<unknown> {
  return hook ? runWithTimeout(hook, facts) : undefined
}

/** Runs a hook after an action. The action cannot be undone any more, so a failure is only logged. */
export async function runAfterHook<A extends readonly unknown[]>(
  { log }: Deps,
  hook: Hook<A>,
  ...facts: A
): Promise<void> {
  if (!hook) return
  await runWithTimeout(hook, facts).catch((error: unknown) => log.error({ err: error }, 'a hook failed'))
}

/** A hook with an unexpected answer is broken. Taking it for a yes would open what the hook guards. */
export const invalidHookAnswer = (name: string, expected: string) => new TypeError(`${name} must return ${expected}`)

function runWithTimeout<A extends readonly unknown[]>(hook: NonNullable<Hook<A>>, facts: A): Promise<unknown> {
  const answer = Promise.resolve().then(() => hook(...facts))
  return within(timeout, answer, () => {
    throw new Error(`A hook took longer than ${timeout} ms`)
  })
}
