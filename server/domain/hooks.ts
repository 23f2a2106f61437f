import type { Deps } from '../deps.ts'

/** Milliseconds that the application's own function may take. */
const patience = 5000

type Hook<A extends readonly unknown[]> = ((...facts: NoInfer<A>) => unknown) | undefined

/**
 * Before something is done: whatever the hook throws, or its silence, keeps it from being done; a Refusal is the answer,
 * anything else a fault. Answers what it answers.
 */
export async function runBefore<A extends readonly unknown[]>(hook: Hook<A>, ...facts: A): Promise<unknown> {
  return hook ? withinPatience(hook, facts) : undefined
}

/** After it was done: it cannot be undone any more, so a failure is only told to the log. */
export async function runAfter<A extends readonly unknown[]>({ log }: Deps, hook: Hook<A>, ...facts: A): Promise<void> {
  if (!hook) return
  await withinPatience(hook, facts).catch((error: unknown) => log.error({ err: error }, 'a hook failed'))
}

/** A function of the config file that answers something else is broken: taken for a yes, it would open what it guards. */
export const wrongAnswer = (name: string, expected: string) => new TypeError(`${name} has to answer ${expected}`)

async function withinPatience<A extends readonly unknown[]>(hook: NonNullable<Hook<A>>, facts: A): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`A hook took longer than ${patience} ms`)), patience)
  })
  try {
    return await Promise.race([Promise.resolve().then(() => hook(...facts)), late])
  } finally {
    clearTimeout(timer)
  }
}
