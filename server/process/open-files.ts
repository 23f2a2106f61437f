import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'

/** For scrapes, webhooks, mails, providers, and files of the program that are read when they are first needed. */
const others = 200

/**
 * How many sockets of clients may be open at once, so that the process never runs out of open files (`ulimit -n`). Without
 * one, a part of the program that is first needed cannot be loaded, and Node never tries to load it again.
 */
export function mostSockets({ DATABASE_POOL }: Pick<Config, 'DATABASE_POOL'>, limit = openFilesLimit()): number {
  if (limit === Infinity) return limit
  // A replica has a pool of the same size.
  const kept = Math.min(2 * DATABASE_POOL + others, Math.ceil(limit * 0.75))
  return limit - kept
}

/** Infinity where the system does not tell. */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? Infinity : Number(limit)
  } catch {
    return Infinity
  }
}
