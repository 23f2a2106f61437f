import type { Config } from '../config.ts'
import { createProtectedLookup, DestinationError } from '../providers/destination.ts'
import { statusOf } from '../providers/outbound.ts'

/** Why a delivery failed, for people. It says nothing of what the receiver answered, nor of our own network. */
export interface PostFailure {
  readonly reason: string
  /** The receiver wants no more. */
  readonly isGone: boolean
}

interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Aborted when the service stops. */
  readonly signal: AbortSignal
}

/** Sends one message. Null when the receiver took it. */
export type Post = (url: string, message: Message) => Promise<PostFailure | null>

/** Sends to public addresses, and to those of OUTBOUND_PRIVATE_NETWORKS. `seconds`: until an answer must begin. */
export function createPost({ OUTBOUND_PRIVATE_NETWORKS: networks }: Config, seconds: number): Post {
  const lookupOf = createProtectedLookup({ networks, needsTls: true })
  return async (address, message) => {
    try {
      const url = new URL(address)
      const way = { lookup: lookupOf(url), answerTime: seconds * 1000 }
      const status = await statusOf(url, { method: 'POST', ...message }, way)
      return failureOf(status)
    } catch (error) {
      return { reason: reasonOf(error, seconds), isGone: false }
    }
  }
}

const failureOf = (status: number): PostFailure | null =>
  status >= 200 && status < 300 ? null : { reason: `The receiver answered ${status}`, isGone: status === 410 }

function reasonOf(error: unknown, seconds: number): string {
  if (error instanceof DestinationError) return 'The address is not one that webhooks are sent to'
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError') return `The receiver did not answer within ${seconds} seconds`
  return `The receiver could not be reached: ${code ?? name ?? 'unknown'}`
}
