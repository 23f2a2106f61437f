import type { Config } from '../config.ts'
import { createProtectedLookup, DestinationError } from '../providers/destination.ts'
import { statusOf } from '../providers/outbound.ts'
import { createNameLookup, orBySystem } from './name-servers.ts'

/** Why a delivery failed, for people. It says nothing of what the receiver answered, nor of our own network. */
export interface PostFailure {
  readonly reason: string
  /** The receiver wants no more. */
  readonly isGone: boolean
}

/** `status`: of the receiver's answer, which began after so many milliseconds; null without one. */
export interface PostOutcome {
  readonly status: number | null
  readonly milliseconds: number | null
  /** Null when the receiver took it. */
  readonly failure: PostFailure | null
}

interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Aborted when the service stops. */
  readonly signal?: AbortSignal
}

/** Sends one message. */
export type Post = (url: string, message: Message) => Promise<PostOutcome>

/** Sends to public addresses, and to those of WEBHOOK_PRIVATE_NETWORKS. `seconds`: until an answer must begin. */
export function createPost({ WEBHOOK_PRIVATE_NETWORKS: networks }: Config, seconds: number): Post {
  const resolve = networks.length === 0 ? resolvePublic : resolveOwn
  const lookupOf = createProtectedLookup({ networks, needsTls: true, resolve })
  return async (address, message) => {
    try {
      const url = new URL(address)
      const way = { lookup: lookupOf(url), answerTime: seconds * 1000 }
      const answered = await statusOf(url, { method: 'POST', ...message }, way)
      return { ...answered, failure: failureOf(answered.status) }
    } catch (error) {
      return { status: null, milliseconds: null, failure: { reason: reasonOf(error, seconds, address), isGone: false } }
    }
  }
}

const resolvePublic = createNameLookup()

const resolveOwn = orBySystem(resolvePublic)

const failureOf = (status: number): PostFailure | null =>
  status >= 200 && status < 300 ? null : { reason: `The receiver answered ${status}`, isGone: status === 410 }

function reasonOf(error: unknown, seconds: number, address: string): string {
  const { name, code } = error as { name?: string; code?: string }
  if (error instanceof DestinationError && address.startsWith('http:'))
    return 'The address is on no network of WEBHOOK_PRIVATE_NETWORKS, so it has to begin with https://'
  // Nothing tells a private name from an unknown one.
  if (error instanceof DestinationError || code === 'ENOTFOUND' || code === 'ENODATA')
    return 'The host is unknown, or its address is not public'
  if (name === 'TimeoutError') return `The receiver did not answer within ${seconds} seconds`
  return `The receiver could not be reached: ${code ?? name ?? 'unknown'}`
}
