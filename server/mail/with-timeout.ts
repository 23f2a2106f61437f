import { SendFailure } from './mail-transport.ts'

/**
 * The result of `run`, or an error after `limit` milliseconds: a function of the config file must not hold up all
 * mails.
 */
export async function withTimeout<T>(limit: number, what: string, run: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SendFailure(`${what} took longer than ${limit / 1000} s`, false)), limit)
  })
  try {
    return await Promise.race([run(), overdue])
  } finally {
    clearTimeout(timer)
  }
}
