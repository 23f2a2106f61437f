import type { User } from '../../shared/entities.ts'
import type { Deps } from '../deps.ts'

/** Milliseconds that the application's own function may take. */
const patience = 5000

type Hook = ((user: User) => unknown) | undefined

/** Before something is done: whatever the hook throws, or its silence, keeps it from being done. */
export async function runBefore(hook: Hook, user: User): Promise<void> {
  if (hook) await withinPatience(hook, user)
}

/** After it was done: it cannot be undone any more, so a failure is only told to the log. */
export async function runAfter({ log }: Deps, hook: Hook, user: User): Promise<void> {
  if (!hook) return
  await withinPatience(hook, user).catch((error: unknown) => log.error({ err: error }, 'a hook failed'))
}

async function withinPatience(hook: NonNullable<Hook>, user: User): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`A hook took longer than ${patience} ms`)), patience)
  })
  try {
    await Promise.race([Promise.resolve(user).then(hook), late])
  } finally {
    clearTimeout(timer)
  }
}
